--- Owns turning answers into items: for pickers, the quickfix list and the location list.
local M = {}

---@class surveyor.Item
---@field label string what a person reads first: the symbol, or the file's name
---@field place string path:line
---@field detail string the first telling line of the snippet
---@field filename string|nil absolute path; nil for what is not a file
---@field lnum integer 1-based
---@field end_lnum integer 1-based
---@field col integer 1-based
---@field hit table the answer itself

--- A number with its noun: `1 file`, `2 files`.
---@param number integer
---@param noun string one that takes an s
---@return string
function M.counted(number, noun)
  return ('%d %s%s'):format(number, noun, number == 1 and '' or 's')
end

--- The first line with something to read in it.
---@param snippet string
---@return string
local function first_line(snippet)
  for line in vim.gsplit(snippet or '', '\n', { plain = true }) do
    if line:match('%w%w') then
      return vim.trim(line)
    end
  end
  return ''
end

local function string_or_nil(value)
  return type(value) == 'string' and value ~= '' and value or nil
end

local function filename(uri)
  if uri and vim.startswith(uri, 'file:') then
    return vim.uri_to_fname(uri)
  end
end

--- Why code is called similar, behind what is said of it.
local function reasons(hit)
  local said = type(hit.reasons) == 'table' and table.concat(hit.reasons, ', ') or ''
  return said ~= '' and ('  [%s]'):format(said) or ''
end

---@param hit table a search result
---@return surveyor.Item
function M.from_hit(hit)
  local path = hit.path
  local label = string_or_nil(hit.symbol) or string_or_nil(hit.title) or vim.fs.basename(path)
  if string_or_nil(hit.container) then
    label = hit.container .. ' › ' .. label
  end
  return {
    label = label .. (type(hit.unsavedVersion) == 'number' and ' (unsaved)' or ''),
    place = ('%s:%d'):format(path, hit.line or hit.startLine),
    detail = (string_or_nil(hit.signature) or first_line(hit.snippet)) .. reasons(hit),
    filename = filename(hit.uri),
    lnum = hit.range.start.line + 1,
    end_lnum = math.max(hit.range.start.line + 1, hit.range['end'].line + (hit.range['end'].character > 0 and 1 or 0)),
    col = hit.range.start.character + 1,
    hit = hit,
  }
end

---@param item table an impact item
---@param direction 'uses it'|'it uses'
---@return surveyor.Item
function M.from_impact(item, direction)
  local name = filename(item.uri)
  local path = name and vim.fn.fnamemodify(name, ':.') or item.uri
  local about = direction
  if direction == 'uses it' and item.depth > 1 then
    about = ('uses it over %d'):format(item.depth - 1)
  end
  return {
    label = (item.isTest and 'test ' or '') .. item.name,
    place = ('%s:%d'):format(path, item.range.start.line + 1),
    detail = about,
    filename = name,
    lnum = item.range.start.line + 1,
    end_lnum = item.range['end'].line + 1,
    col = item.range.start.character + 1,
    hit = item,
  }
end

---@param place table one place of what a change leaves behind
---@return surveyor.Item
function M.from_check(place)
  return {
    label = place.message .. (place.certainty == 'certain' and '' or ' [likely]'),
    place = ('%s:%d'):format(place.path, place.range.start.line + 1),
    detail = place.about ~= '' and ('(%s)'):format(place.about) or '',
    filename = filename(place.uri),
    lnum = place.range.start.line + 1,
    end_lnum = place.range.start.line + 1,
    col = place.range.start.character + 1,
    hit = place,
  }
end

---@param root string
---@param path string a test file, from the root
---@return surveyor.Item
function M.from_test(root, path)
  return {
    label = 'test to run',
    place = path,
    detail = '',
    filename = vim.fs.joinpath(root, path),
    lnum = 1,
    end_lnum = 1,
    col = 1,
    hit = { path = path },
  }
end

---@param failure table one test that failed
---@return surveyor.Item
function M.from_failure(failure)
  local line = failure.range.start.line + 1
  return {
    label = failure.message,
    place = ('%s:%d'):format(failure.path, line),
    detail = ('[%s]'):format(failure.test),
    filename = failure.uri ~= '' and filename(failure.uri) or nil,
    lnum = line,
    end_lnum = line,
    col = 1,
    hit = failure,
  }
end

---@param item surveyor.Item
---@return string
function M.format(item)
  return ('%s  %s  %s'):format(item.label, item.place, item.detail)
end

--- Items as entries of a quickfix or location list.
---@param items surveyor.Item[]
---@return table[]
function M.entries(items)
  return vim.tbl_map(function(item)
    return {
      filename = item.filename,
      lnum = item.lnum,
      end_lnum = item.end_lnum,
      col = item.col,
      text = ('%s  %s'):format(item.label, item.detail),
      user_data = { surveyor = { lnum = item.lnum, end_lnum = item.end_lnum } },
    }
  end, items)
end

--- Fills the quickfix list, or a window's location list, and opens it.
---@param items surveyor.Item[]
---@param title string
---@param where 'quickfix'|'loclist'
function M.to_list(items, title, where)
  local entries = M.entries(items)
  local what = { title = 'Surveyor: ' .. title, items = entries, context = { surveyor = true } }
  if where == 'loclist' then
    vim.fn.setloclist(0, {}, ' ', what)
    vim.cmd('botright lopen')
  else
    vim.fn.setqflist({}, ' ', what)
    vim.cmd('botright copen')
  end
  require('surveyor.preview').watch_list()
end

--- The lines of what an item says, for one that is no file.
---@param item surveyor.Item
---@return string[]
function M.text(item)
  return vim.split((string_or_nil(item.hit.title) or item.label) .. '\n\n' .. (item.hit.snippet or ''), '\n')
end

--- Opens an item in the current window, or its text where it is no file.
---@param item surveyor.Item
---@param command string|nil 'edit' (default), 'split', 'vsplit' or 'tabedit'
function M.open(item, command)
  if not item.filename then
    vim.cmd((command == 'vsplit' and 'vertical ' or '') .. 'new')
    vim.api.nvim_buf_set_lines(0, 0, -1, false, M.text(item))
    vim.bo.buftype, vim.bo.bufhidden, vim.bo.filetype, vim.bo.modifiable = 'nofile', 'wipe', 'markdown', false
    return
  end
  vim.cmd("normal! m'")
  if command and command ~= 'edit' then
    vim.cmd[command](vim.fn.fnameescape(item.filename))
  elseif vim.api.nvim_buf_get_name(0) ~= item.filename then
    local bufnr = vim.fn.bufadd(item.filename)
    vim.bo[bufnr].buflisted = true
    vim.api.nvim_win_set_buf(0, bufnr)
  end
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.min(item.lnum, last), item.col - 1 })
  vim.cmd('normal! zvzz')
end

return M
