--- Orders and what belongs to them.
local json = require("json")
local util = require "shop.util"

local Order = {}
Order.__index = Order

local MAX_LINES = 100

-- Makes an order.
-- @param customer who buys
function Order.new(customer)
  local self = setmetatable({}, Order)
  self.customer = customer
  return self
end

function Order:total()
  local sum = 0
  for _, line in ipairs(self.lines) do
    sum = sum + util.price(line)
  end
  return sum
end

local function read(path)
  return json.decode(io.open(path):read("*a"))
end

function main(args)
  print(Order.new(read(args[1])):total())
end

Order.pay = function(self, account)
  account:withdraw(self:total())
end

local M = {
  open = function(path)
    return read(path)
  end,
}

return M
