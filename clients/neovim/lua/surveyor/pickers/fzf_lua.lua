--- Shows results in fzf-lua; a search without a query asks as one types.
local results = require('surveyor.results')
local M = {}

--- A search is asked this long after the last key, as in the VS Code extension.
local DEBOUNCE_MS = 150

--- One line of fzf, which is also the key of its item.
local function line(item)
  return (results.format(item):gsub('%c', ' '))
end

--- fzf-lua's own previewer, told the place of an item instead of reading it from the line.
local function previewer(by_line)
  local base = require('fzf-lua.previewer.builtin').buffer_or_file
  local ours = base:extend()
  function ours:new(...)
    ours.super.new(self, ...)
    return setmetatable(self, ours)
  end
  function ours.parse_entry(_, text)
    local item = by_line[text]
    if not item then
      return {}
    elseif item.filename then
      return { path = item.filename, line = item.lnum, col = item.col }
    end
    return { content = results.text(item), filetype = 'markdown' }
  end
  return ours
end

local function options(title, by_line)
  local function act(command)
    return function(selected)
      local item = selected[1] and by_line[selected[1]]
      if item then
        results.open(item, command)
      end
    end
  end
  return {
    winopts = { title = ' ' .. title .. ' ' },
    previewer = previewer(by_line),
    fzf_opts = { ['--no-sort'] = true },
    actions = {
      ['default'] = act('edit'),
      ['ctrl-s'] = act('split'),
      ['ctrl-v'] = act('vsplit'),
      ['ctrl-t'] = act('tabedit'),
    },
  }
end

--- Lines of items, which are kept for when one is chosen.
local function lines_of(items, by_line)
  return vim.tbl_map(function(item)
    local text = line(item)
    by_line[text] = item
    return text
  end, items)
end

function M.pick(items, title)
  local by_line = {}
  require('fzf-lua').fzf_exec(lines_of(items, by_line), options(title, by_line))
end

function M.live(title, search)
  local by_line = {}
  require('fzf-lua').fzf_live(function(args)
    return lines_of(search((type(args) == 'table' and args[1] or args) or ''), by_line)
  end, vim.tbl_extend('force', options(title, by_line), { exec_empty_query = false, query_delay = DEBOUNCE_MS }))
end

return M
