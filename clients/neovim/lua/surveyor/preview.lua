--- Owns the window that shows the lines of a result: beside lists, and on demand.
local M = {}

local CONTEXT_LINES = 4
local MOST_LINES = 24
--- A list that leaves less room above it is covered.
local LEAST_LINES = 5
local namespace = vim.api.nvim_create_namespace('surveyor.preview')

local window ---@type integer|nil

function M.close()
  if window and vim.api.nvim_win_is_valid(window) then
    vim.api.nvim_win_close(window, true)
  end
  window = nil
end

--- Lines that fit between the top of the screen and a list below, without the border.
local function room()
  local list = vim.api.nvim_win_get_position(0)[1]
  return list >= LEAST_LINES + 3 and list - 3 or vim.o.lines - 6
end

--- Shows lines of a file in a window that does not take the focus.
---@param place { filename: string, lnum: integer, end_lnum: integer }
---@return integer|nil winid
function M.show(place)
  M.close()
  local most = math.min(MOST_LINES, room())
  local bufnr = vim.fn.bufadd(place.filename)
  vim.fn.bufload(bufnr) -- the buffer, not the disk: unsaved text counts
  local from = math.max(1, place.lnum - CONTEXT_LINES)
  local to = math.min(vim.api.nvim_buf_line_count(bufnr), math.min(place.end_lnum + CONTEXT_LINES, from + most - 1))
  local lines = vim.api.nvim_buf_get_lines(bufnr, from - 1, to, false)
  local shown = vim.api.nvim_create_buf(false, true)
  vim.bo[shown].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(shown, 0, -1, false, lines)
  local language = vim.treesitter.language.get_lang(vim.filetype.match({ buf = bufnr, filename = place.filename }) or '')
  if not (language and pcall(vim.treesitter.start, shown, language)) then
    vim.bo[shown].syntax = vim.filetype.match({ filename = place.filename }) or ''
  end
  for line = place.lnum, math.min(place.end_lnum, to) do
    vim.api.nvim_buf_set_extmark(shown, namespace, line - from, 0, { line_hl_group = 'SurveyorPreviewRange' })
  end
  local width = math.min(120, vim.o.columns - 4)
  window = vim.api.nvim_open_win(shown, false, {
    relative = 'editor',
    row = 1,
    col = math.floor((vim.o.columns - width) / 2),
    width = width,
    height = math.max(1, #lines),
    style = 'minimal',
    border = 'rounded',
    title = (' %s:%d '):format(vim.fn.fnamemodify(place.filename, ':.'), place.lnum),
    focusable = false,
    noautocmd = true,
  })
  return window
end

--- The place of the entry under the cursor, in a list of ours.
local function entry()
  local info = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1]
  if not info or info.quickfix ~= 1 then
    return nil
  end
  local get = info.loclist == 1 and function(what)
    return vim.fn.getloclist(0, what)
  end or vim.fn.getqflist
  local list = get({ context = 0, items = 0 })
  if type(list.context) ~= 'table' or not list.context.surveyor then
    return nil
  end
  local item = list.items[vim.fn.line('.')]
  if item and item.bufnr > 0 then
    return { filename = vim.api.nvim_buf_get_name(item.bufnr), lnum = item.lnum, end_lnum = math.max(item.lnum, item.end_lnum) }
  end
end

--- Shows the entry under the cursor of a list.
function M.entry()
  local place = entry()
  if place then
    M.show(place)
  end
end

--- Follows the cursor in the list that is open now, if the user wants previews.
function M.watch_list()
  if not require('surveyor.config').options.preview then
    return
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local group = vim.api.nvim_create_augroup('surveyor.preview.' .. bufnr, { clear = true })
  vim.api.nvim_create_autocmd('CursorMoved', { group = group, buffer = bufnr, callback = M.entry })
  vim.api.nvim_create_autocmd({ 'BufLeave', 'WinClosed', 'BufWipeout' }, { group = group, buffer = bufnr, callback = M.close })
  M.entry()
end

return M
