--- Owns the plugin's options, and what the server is told of them.
local M = {}

---@class surveyor.Options
M.defaults = {
  --- Path of the `surveyor` command; nil looks for it.
  server = nil,
  --- Where results are shown: 'auto', 'telescope', 'fzf-lua', 'snacks' or 'select'.
  picker = 'auto',
  --- Most results of a search.
  limit = 30,
  --- Show the lines of the entry under the cursor in Surveyor's quickfix and location lists.
  preview = true,
  --- 'auto', 'proxy', 'full' or 'companion', or a table of these by file type with '*' for the rest.
  mode = 'auto',
  --- Folders whose own programs (.venv, node_modules) may be started; true trusts every folder.
  trusted = {},
}

M.options = vim.deepcopy(M.defaults)

local PICKERS = { auto = true, telescope = true, ['fzf-lua'] = true, snacks = true, select = true }
local MODES = { auto = true, proxy = true, full = true, companion = true }

--- Raises an error where an option has a value that it cannot have.
---@param merged surveyor.Options
local function validate(merged)
  vim.validate('server', merged.server, 'string', true)
  vim.validate('picker', merged.picker, function(value)
    return PICKERS[value] == true
  end, "'auto', 'telescope', 'fzf-lua', 'snacks' or 'select'")
  vim.validate('limit', merged.limit, function(value)
    return type(value) == 'number' and value >= 1 and value <= 200
  end, 'a number from 1 to 200')
  vim.validate('preview', merged.preview, 'boolean')
  vim.validate('mode', merged.mode, function(value)
    local modes = type(value) == 'table' and vim.tbl_values(value) or { value }
    return vim.iter(modes):all(function(mode)
      return MODES[mode] == true
    end)
  end, "'auto', 'proxy', 'full' or 'companion', or a table of these")
  vim.validate('trusted', merged.trusted, { 'boolean', 'table' })
end

--- Merges options; raises an error that names a wrong one.
---@param options surveyor.Options|nil
function M.setup(options)
  options = options or {}
  if type(options) ~= 'table' then
    error(('surveyor: setup takes a table of options, not %s'):format(vim.inspect(options)), 0)
  end
  for name in pairs(options) do
    if M.defaults[name] == nil and name ~= 'server' then
      local known = vim.tbl_keys(M.defaults)
      table.insert(known, 'server')
      table.sort(known)
      error(('surveyor: unknown option %s; there are %s'):format(vim.inspect(name), table.concat(known, ', ')), 0)
    end
  end
  local merged = vim.tbl_extend('force', vim.deepcopy(M.defaults), options)
  local ok, why = pcall(validate, merged)
  if not ok then
    -- Without the place in this file, which is no place to look at.
    error('surveyor: option ' .. tostring(why):gsub('^.-:%d+: ', ''), 0)
  end
  M.options = merged
end

--- The mode set for a file type.
---@param filetype string
---@return 'auto'|'proxy'|'full'|'companion'
function M.mode(filetype)
  local mode = M.options.mode
  if type(mode) == 'table' then
    return mode[filetype] or mode['*'] or 'auto'
  end
  return mode
end

---@param root string|nil
---@return boolean
function M.trusted(root)
  local trusted = M.options.trusted
  if type(trusted) == 'boolean' then
    return trusted
  end
  return root ~= nil
    and vim.iter(trusted):any(function(folder)
      folder = vim.fs.normalize(folder)
      return root == folder or vim.startswith(root, folder .. '/')
    end)
end

--- The `surveyor` section as the server reads it, with modes decided.
---@param config table the client's configuration
---@return table
function M.for_server(config)
  local section = vim.tbl_get(config, 'settings', 'surveyor') or {}
  local trusted = M.trusted(config.root_dir)
  if not trusted and M.options.trusted ~= false then
    trusted = nil -- a folder that is not listed is not said to be distrusted
  end
  return vim.tbl_deep_extend('force', section, {
    trusted = trusted,
    mode = require('surveyor.companion').modes(),
    statusNotifications = true,
    activityNotifications = true,
  })
end

--- Answers `workspace/configuration`, our own section complete.
function M.answer(params, ctx)
  local client = vim.lsp.get_client_by_id(ctx.client_id)
  if not client then
    return vim.iter(params.items):map(function()
      return vim.NIL
    end):totable()
  end
  local answers = {}
  for _, item in ipairs(params.items) do
    if item.section == 'surveyor' then
      table.insert(answers, M.for_server(client.config))
    elseif item.section then
      local value = vim.tbl_get(client.settings or {}, unpack(vim.split(item.section, '.', { plain = true })))
      table.insert(answers, value == nil and vim.NIL or value)
    else
      table.insert(answers, client.settings or vim.NIL)
    end
  end
  return answers
end

return M
