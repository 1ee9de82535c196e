--- Owns rules in buffers: writing one saves it, writing it empty deletes it.
local M = {}

local TIMEOUT_MS = 10000

local function say(message, level)
  vim.notify(message, level or vim.log.levels.INFO, { title = 'Surveyor' })
end

--- Changes a rule and waits for it, so that `:wq` leaves nothing behind; whether it was done.
---@param params table of `surveyor/remember`
---@return boolean
local function change(params)
  local client = vim.lsp.get_clients({ name = 'surveyor' })[1]
  if not client then
    say('Surveyor is not running: the rule is not saved', vim.log.levels.ERROR)
    return false
  end
  local reply, why = client:request_sync('surveyor/remember', params, TIMEOUT_MS)
  if not reply or reply.err then
    say(reply and reply.err.message or ('The rule is not saved: %s'):format(why), vim.log.levels.ERROR)
    return false
  end
  return true
end

--- Goes to the code that a rule is about.
---@param anchor string PATH or PATH#SYMBOL
---@param root string
local function visit(anchor, root)
  local path, symbol = anchor:match('^([^#]+)#?(.*)$')
  vim.cmd.split(vim.fn.fnameescape(vim.fs.joinpath(root, path)))
  if symbol ~= '' then
    vim.fn.cursor(1, 1)
    vim.fn.search([[\V\<]] .. vim.fn.escape(symbol:match('[^.]+$'), [[\]]) .. [[\>]], 'cW')
  end
end

--- Saves what a rule's buffer says.
local function write(bufnr, rule, given)
  local text = vim.trim(table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n'))
  local params = vim.tbl_extend('force', given, { label = rule.label, scope = rule.scope, content = text })
  if text == '' then
    if params.action == 'add' or vim.fn.confirm(('Surveyor: delete the rule %s?'):format(rule.label), '&Yes\n&No', 2) ~= 1 then
      return
    end
    params.action, params.content = 'remove', nil
  end
  if not change(params) then
    return
  end
  vim.bo[bufnr].modified = false
  say(({ add = 'Remembered as %s', update = 'Changed %s', remove = 'Deleted %s' })[params.action]:format(rule.label))
  if params.action == 'remove' then
    vim.api.nvim_buf_delete(bufnr, { force = true })
  end
  given.action, given.textDocument, given.position = 'update', nil, nil
end

--- Opens a rule in a buffer.
---@param rule { label: string, scope: string, content: string|nil, anchor: string|nil }
---@param given table what `surveyor/remember` gets besides: action, uri, for a new one its place
---@param root string|nil of the project, for `gf`
function M.edit(rule, given, root)
  local name = 'surveyor://rules/' .. rule.label
  local open = vim.fn.bufwinid(name)
  if open ~= -1 then
    vim.api.nvim_set_current_win(open)
    return
  end
  vim.cmd('botright 10new')
  local bufnr = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_name(bufnr, name)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(rule.content or '', '\n'))
  vim.bo[bufnr].buftype, vim.bo[bufnr].bufhidden, vim.bo[bufnr].swapfile = 'acwrite', 'wipe', false
  vim.bo[bufnr].filetype, vim.bo[bufnr].modified = 'markdown', false
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = bufnr,
    callback = function()
      write(bufnr, rule, given)
    end,
  })
  if type(rule.anchor) == 'string' and root then
    vim.keymap.set('n', 'gf', function()
      visit(rule.anchor, root)
    end, { buffer = bufnr, desc = "Surveyor: go to the rule's code" })
  end
end

return M
