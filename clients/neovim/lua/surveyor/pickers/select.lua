--- Shows results through `vim.ui.select`, whatever the user has put there.
local results = require('surveyor.results')
local M = {}

--- Rows and columns that Neovim's own prompt needs beside the items.
local PROMPT_ROWS, NUMBER_COLUMNS = 4, 6

--- Whether nobody has replaced Neovim's own list of numbered lines, which pages when it is long.
local function is_builtin()
  return debug.getinfo(vim.ui.select, 'S').source:match('vim[/\\]ui%.lua$') ~= nil
end

--- A line that does not wrap.
local function one_row(text)
  local room = vim.o.columns - NUMBER_COLUMNS
  text = text:gsub('%c', ' ')
  while vim.fn.strdisplaywidth(text) > room do
    text = vim.fn.strcharpart(text, 0, vim.fn.strchars(text) - 2) .. '…'
  end
  return text
end

--- Whether what is said of an answer belongs into the title: Neovim's own list stands below messages,
--- and what these take of the screen pushes the best results off it.
M.shows_notes = is_builtin

function M.pick(items, title)
  local format = results.format
  if is_builtin() then
    local most = math.max(1, vim.o.lines - PROMPT_ROWS)
    if #items > most then
      title = ('%d of %d, %s'):format(most, #items, title)
      items = vim.list_slice(items, 1, most)
    end
    title = one_row(title)
    format = function(item)
      return one_row(results.format(item))
    end
  end
  vim.ui.select(items, {
    prompt = title,
    kind = 'surveyor',
    format_item = format,
    preview_item = function(item) -- understood by several replacements of vim.ui.select
      return vim.split(item.hit.snippet or '', '\n')
    end,
  }, function(item)
    if item then
      results.open(item)
    end
  end)
end

return M
