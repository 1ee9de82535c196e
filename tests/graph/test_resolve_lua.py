"""What names mean in Lua, on small projects given as text."""

from __future__ import annotations

from tests.graph.memory import graph, imports, uses

PATH = """
local Path = {}
Path.__index = Path

function Path:new(name)
  local made = setmetatable({}, Path)
  made:parent()
  return made
end

function Path:parent()
  return self:absolute()
end

Path.absolute = function(self)
  return self:parent()
end

return Path
"""
UTIL = """
local M = {}
M.get = function(n) return n end
function M.help(t) return M.get(1) end
return setmetatable(M, {})
"""
MAIN = """
local Path = require("shop.path")
local util = require "shop.util"
local path = Path:new("a")

local function run(own)
  local util2 = require("shop.util")
  util2.help { a = 1 }
  path:parent():absolute()
  require("shop.util").get(2)
  string.get(1)
  own(3)
end

run(util.get)
"""
PATHS = {"lua/shop/path.lua": PATH, "lua/shop/util/init.lua": UTIL, "lua/main.lua": MAIN}


def test_tables_are_modules_and_classes() -> None:
    made = graph(PATHS)
    assert {
        (4, "Path.new"), (8, "M.help"), (9, "Path.parent"), (9, "Path.absolute"), (10, "M.get"),
        (15, "run"), (15, "M.get"),
    } <= uses(made, "lua/main.lua")  # fmt: skip
    assert not any(line in (11, 12) for line, _ in uses(made, "lua/main.lua"))
    assert imports(made, "lua/main.lua")[:2] == [
        ("shop.path", "lua/shop/path.lua", ""),
        ("shop.util", "lua/shop/util/init.lua", ""),
    ]


def test_self_is_the_table_that_a_function_is_put_into() -> None:
    found = uses(graph(PATHS), "lua/shop/path.lua")
    assert {(7, "Path.parent"), (12, "Path.absolute"), (16, "Path.parent")} <= found


BASE = """
local Base = {}
function Base:close() return self end
function Base.make() return setmetatable({}, Base) end
return Base
"""
HEIR = """
local Base = require("shop.base")
local M = {}

function M.new()
  local self = setmetatable({}, { __index = setmetatable(M, { __index = Base }) })
  self.made = Base.make()
  return self
end

function M:run()
  self.made:close()
  self:close()
end

M.make = Base.make
shout = M.run
function whisper() end
return M
"""


def test_tables_have_what_they_extend_and_what_their_fields_hold() -> None:
    made = graph({"shop/base.lua": BASE, "shop/heir.lua": HEIR})
    found = uses(made, "shop/heir.lua")
    assert {(12, "M.made"), (12, "Base.close"), (13, "Base.close")} <= found


def test_other_names_and_names_for_all_lead_to_the_function() -> None:
    used = """
        local heir = require("shop.heir")
        heir.make():close()
        shout()
        whisper()
        run()
        """
    made = graph({"shop/base.lua": BASE, "shop/heir.lua": HEIR, "use.lua": used})
    found = uses(made, "use.lua")
    assert {(3, "Base.make"), (3, "Base.close"), (5, "whisper")} <= found
    assert (4, "shout") in found
    assert not [name for line, name in found if line == 6]
