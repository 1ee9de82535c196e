--- Owns the commits that changed a definition or lines: choosing one, and what it did there.
local M = {}

--- Most commits that are asked for.
M.MOST = 50

local SHORT = 8

--- One line on a commit.
---@param commit table
---@return string
local function format(commit)
  local size = ('+%d -%d'):format(commit.added, commit.removed)
  local origin = commit.introduced and '  introduced here' or ''
  return ('%s  %s  %s  %s  %s%s'):format(
    commit.commit:sub(1, SHORT),
    commit.date:sub(1, 10),
    commit.author,
    commit.subject,
    size,
    origin
  )
end

--- Shows in a buffer what a commit did to the code.
---@param commit table
local function show(commit)
  local head = { 'commit ' .. commit.commit, 'Author: ' .. commit.author, 'Date: ' .. commit.date, '', commit.subject }
  if commit.body ~= '' then
    vim.list_extend(head, { '', unpack(vim.split(commit.body, '\n')) })
  end
  vim.list_extend(head, { '', ('%s:%d-%d'):format(commit.path, commit.startLine, commit.endLine), '' })
  vim.cmd('botright new')
  local bufnr = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.list_extend(head, vim.split(commit.diff, '\n')))
  vim.bo[bufnr].buftype, vim.bo[bufnr].bufhidden, vim.bo[bufnr].swapfile = 'nofile', 'wipe', false
  vim.bo[bufnr].filetype, vim.bo[bufnr].modifiable = 'diff', false
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = bufnr, nowait = true, desc = 'Surveyor: close' })
end

--- Lists the commits; choosing one shows what it did.
---@param answer table of `surveyor/history`
function M.choose(answer)
  local name = type(answer.symbol) == 'string' and answer.symbol or answer.path
  local notice = type(answer.notice) == 'string' and answer.notice or nil
  if #answer.commits == 0 then
    local said = ('No commit changed %s'):format(name)
    vim.notify(notice and said .. '; ' .. notice or said, vim.log.levels.INFO, { title = 'Surveyor' })
    return
  end
  if notice then
    vim.notify(notice, vim.log.levels.INFO, { title = 'Surveyor' })
  end
  vim.ui.select(answer.commits, {
    prompt = (#answer.commits < M.MOST and '%d commits changed %s' or 'The latest %d commits that changed %s'):format(#answer.commits, name),
    kind = 'surveyor-commit',
    format_item = format,
  }, function(commit)
    if commit then
      show(commit)
    end
  end)
end

return M
