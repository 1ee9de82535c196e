--- Owns the tree of what depends on a symbol: a buffer that folds, and from which one goes to the code.
local results = require('surveyor.results')
local M = {}

local MOST_ROWS = 15
local INDENT = 2

--- Whether a step on the way to an item, `path::name` or a path, is another item.
local function is_step(step, item)
  local path, name = step:match('^(.-)::(.*)$')
  return item.name == (name or step) and vim.endswith(vim.uri_to_fname(item.uri), '/' .. (path or step))
end

--- Children by what they are reached by; those that nothing here leads to, by false.
---@param items table[]
---@return table<table|false, table[]>
local function by_parent(items)
  local children = {}
  for _, item in ipairs(items) do
    local last = item.via[#item.via]
    local parent = last
        and vim.iter(items):find(function(other)
          return other.depth == item.depth - 1 and is_step(last, other)
        end)
      or false
    children[parent] = children[parent] or {}
    table.insert(children[parent], item)
  end
  return children
end

---@param answer table of `surveyor/impact`
---@return string[] lines
---@return table<integer, surveyor.Item> places by line
function M.lines(answer)
  local lines, places = {}, {}

  ---@param children table<table|false, table[]>
  local function add(children, above, depth, direction)
    for _, item in ipairs(children[above] or {}) do
      local place = results.from_impact(item, direction)
      table.insert(lines, ('%s%s  %s'):format((' '):rep(INDENT * depth), place.label, place.place))
      places[#lines] = place
      add(children, item, depth + 1, direction)
    end
  end

  for _, part in ipairs({
    { 'Depends on it', answer.inbound, 'uses it' },
    { 'It depends on', answer.outbound, 'it uses' },
  }) do
    table.insert(lines, ('%s (%d)'):format(part[1], #part[2]))
    add(by_parent(part[2]), false, 1, part[3])
  end
  if type(answer.omitted) == 'number' and answer.omitted > 0 then
    table.insert(lines, ('%d more places (r shows them)'):format(answer.omitted))
  end
  if type(answer.notice) == 'string' then
    table.insert(lines, answer.notice)
  end
  return lines, places
end

--- For 'foldexpr': a line that has others below it begins a fold with them.
---@param lnum integer
---@return string
function M.fold(lnum)
  local here, below = vim.fn.indent(lnum) / INDENT, vim.fn.indent(lnum + 1) / INDENT
  return below > here and '>' .. (here + 1) or tostring(here)
end

--- The window that one came from, else one above.
local function leave(tree)
  vim.cmd('wincmd p')
  if vim.api.nvim_get_current_win() == tree then
    vim.cmd('aboveleft new')
  end
end

---@param answer table of `surveyor/impact`
---@param title string
---@param show_rest fun()|nil what shows those that the limit has left out
function M.show(answer, title, show_rest)
  local lines, places = M.lines(answer)
  vim.cmd(('botright %dnew'):format(math.min(#lines + 1, MOST_ROWS)))
  local bufnr, window = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].buftype, vim.bo[bufnr].bufhidden, vim.bo[bufnr].swapfile = 'nofile', 'wipe', false
  vim.bo[bufnr].filetype, vim.bo[bufnr].modifiable = 'surveyor-impact', false
  vim.api.nvim_buf_set_name(bufnr, ('surveyor://impact/%d'):format(bufnr))
  local options = vim.wo[window][0]
  options.foldmethod, options.foldexpr = 'expr', "v:lua.require'surveyor.tree'.fold(v:lnum)"
  options.foldlevel, options.wrap, options.cursorline = 99, false, true
  options.winbar = 'Surveyor: ' .. title:gsub('%%', '%%%%')
  vim.fn.matchadd('Comment', [[\S\+:\d\+$]])
  vim.fn.matchadd('Title', [[^\S.*]])

  local function map(key, act, about)
    vim.keymap.set('n', key, act, { buffer = bufnr, nowait = true, desc = 'Surveyor: ' .. about })
  end
  map('<CR>', function()
    local place = places[vim.api.nvim_win_get_cursor(window)[1]]
    if place then
      leave(window)
      results.open(place)
    end
  end, 'go to the code')
  if show_rest then
    map('r', function()
      vim.cmd.close()
      show_rest()
    end, 'show the rest')
  end
  map('<Tab>', 'za', 'fold or unfold')
  map('q', '<Cmd>close<CR>', 'close')
end

return M
