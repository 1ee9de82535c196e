--- Shows results in telescope.nvim; a search without a query asks as one types.
local results = require('surveyor.results')
local M = {}

local function entry(item)
  return {
    value = item,
    display = results.format(item),
    ordinal = results.format(item),
    filename = item.filename,
    lnum = item.lnum,
    lnend = item.end_lnum,
    col = item.col,
  }
end

local function open(title, finder, sorter)
  local config = require('telescope.config').values
  local actions = require('telescope.actions')
  local state = require('telescope.actions.state')
  require('telescope.pickers')
    .new({}, {
      prompt_title = title,
      finder = finder,
      sorter = sorter,
      previewer = config.grep_previewer({}),
      attach_mappings = function(prompt)
        for action, command in pairs({ select_default = 'edit', select_horizontal = 'split', select_vertical = 'vsplit', select_tab = 'tabedit' }) do
          actions[action]:replace(function()
            local chosen = state.get_selected_entry()
            actions.close(prompt)
            if chosen then
              results.open(chosen.value, command)
            end
          end)
        end
        return true
      end,
    })
    :find()
end

function M.pick(items, title)
  local finder = require('telescope.finders').new_table({ results = items, entry_maker = entry })
  open(title, finder, require('telescope.config').values.generic_sorter({}))
end

function M.live(title, search)
  local finder = require('telescope.finders').new_dynamic({
    fn = search,
    entry_maker = entry,
  })
  -- The order is the answer's: no sorter that would drop what does not match by letters.
  open(title, finder, require('telescope.sorters').empty())
end

return M
