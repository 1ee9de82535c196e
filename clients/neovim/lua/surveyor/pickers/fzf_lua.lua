--- Shows results in fzf-lua; a search without a query asks as one types.
local results = require('surveyor.results')
local M = {}

--- fzf-lua's previewer and actions read `file:line:col: text`.
local function line(item)
  return ('%s:%d:%d: %s  %s'):format(item.filename or '', item.lnum, item.col, item.label, item.detail)
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
    previewer = 'builtin',
    fzf_opts = { ['--no-sort'] = true, ['--delimiter'] = '[:]' },
    actions = {
      ['default'] = act('edit'),
      ['ctrl-s'] = act('split'),
      ['ctrl-v'] = act('vsplit'),
      ['ctrl-t'] = act('tabedit'),
    },
  }
end

function M.pick(items, title)
  local by_line, lines = {}, {}
  for _, item in ipairs(items) do
    local text = line(item)
    by_line[text] = item
    table.insert(lines, text)
  end
  require('fzf-lua').fzf_exec(lines, options(title, by_line))
end

function M.live(title, search)
  local by_line = {}
  require('fzf-lua').fzf_live(function(args)
    local text = type(args) == 'table' and args[1] or args
    local lines = {}
    for _, item in ipairs(search(text or '')) do
      local shown = line(item)
      by_line[shown] = item
      table.insert(lines, shown)
    end
    return lines
  end, vim.tbl_extend('force', options(title, by_line), { exec_empty_query = false }))
end

return M
