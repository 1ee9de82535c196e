--- Owns which picker shows a list of results.
local M = {}

--- Picker names by the module that shows that the plugin is there.
local KNOWN = {
  { name = 'telescope', module = 'telescope' },
  { name = 'fzf-lua', module = 'fzf-lua' },
  { name = 'snacks', module = 'snacks' },
}

local function present(module)
  return #vim.loader.find(module) > 0 or package.loaded[module] ~= nil
end

--- The picker to use: the option's, or the first plugin that is there.
---@return 'telescope'|'fzf-lua'|'snacks'|'select'
function M.name()
  local wanted = require('surveyor.config').options.picker
  if wanted ~= 'auto' then
    return wanted
  end
  for _, picker in ipairs(KNOWN) do
    if present(picker.module) and not (picker.name == 'snacks' and not vim.tbl_get(_G, 'Snacks', 'picker')) then
      return picker.name
    end
  end
  return 'select'
end

---@class surveyor.Picker
---@field pick fun(items: surveyor.Item[], title: string)
---@field shows_notes nil|fun(): boolean
---@field live nil|fun(title: string, search: fun(text: string): surveyor.Item[])

---@return surveyor.Picker
function M.get()
  local name = M.name()
  return require('surveyor.pickers.' .. name:gsub('-', '_'))
end

return M
