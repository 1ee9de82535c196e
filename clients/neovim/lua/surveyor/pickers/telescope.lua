--- Shows results in telescope.nvim; a search without a query asks as one types.
local results = require('surveyor.results')
local M = {}

--- A search is asked this long after the last key, as in the VS Code extension.
local DEBOUNCE_MS = 150

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

local namespace = vim.api.nvim_create_namespace('surveyor.telescope')

--- Shows the lines of an item in their file; the text itself where an item is no file.
local function previewer()
  local show_file = require('telescope.config').values.buffer_previewer_maker
  return require('telescope.previewers').new_buffer_previewer({
    title = 'Preview',
    get_buffer_by_name = function(_, chosen)
      return chosen.filename or chosen.ordinal
    end,
    define_preview = function(self, chosen)
      local bufnr, winid = self.state.bufnr, self.state.winid
      if not chosen.filename then
        vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, results.text(chosen.value))
        vim.bo[bufnr].filetype = 'markdown'
        return
      end
      show_file(chosen.filename, bufnr, {
        bufname = self.state.bufname,
        winid = winid,
        callback = function()
          vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
          local last = math.min(chosen.lnend, vim.api.nvim_buf_line_count(bufnr))
          for line = chosen.lnum, last do
            vim.api.nvim_buf_set_extmark(bufnr, namespace, line - 1, 0, { line_hl_group = 'TelescopePreviewLine' })
          end
          vim.api.nvim_win_set_cursor(winid, { math.min(chosen.lnum, last), 0 })
          vim.api.nvim_win_call(winid, function()
            vim.cmd('normal! zz')
          end)
        end,
      })
    end,
  })
end

local function open(title, finder, sorter)
  local actions = require('telescope.actions')
  local state = require('telescope.actions.state')
  require('telescope.pickers')
    .new({}, {
      prompt_title = title,
      debounce = DEBOUNCE_MS,
      finder = finder,
      sorter = sorter,
      previewer = previewer(),
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
