-- Stand-ins for the picker plugins, as the global P: they record what Surveyor gives them and do
-- what a person would. They hold the parts of each plugin's interface that Surveyor uses, as they
-- are in the plugins themselves, which neither PyPI, npm nor Debian has.
local P = { shown = nil }

local function telescope()
  local replaced, entry
  local actions = setmetatable({
    close = function()
      P.closed = true
    end,
  }, {
    __index = function(_, action)
      return {
        replace = function(_, run)
          replaced[action] = run
        end,
      }
    end,
  })
  local function finder(options)
    return options
  end
  package.loaded['telescope'] = {}
  package.loaded['telescope.config'] = {
    values = {
      buffer_previewer_maker = function() end,
      generic_sorter = function() end,
    },
  }
  package.loaded['telescope.actions'] = actions
  package.loaded['telescope.actions.state'] = {
    get_selected_entry = function()
      return entry
    end,
  }
  package.loaded['telescope.finders'] = { new_table = finder, new_dynamic = finder }
  package.loaded['telescope.sorters'] = { empty = function() end }
  package.loaded['telescope.previewers'] = {
    new_buffer_previewer = function(options)
      return options
    end,
  }
  package.loaded['telescope.pickers'] = {
    new = function(_, options)
      return {
        find = function()
          replaced = {}
          options.attach_mappings(0)
          local function show(items)
            P.shown = vim.tbl_map(options.finder.entry_maker, items)
          end
          P.type = function(text)
            show(options.finder.fn(text))
          end
          P.choose = function(index)
            entry = P.shown[index]
            replaced.select_default()
          end
          if options.finder.results then
            show(options.finder.results)
          end
          P.open = true
        end,
      }
    end,
  }
  P.text = function(shown)
    return shown.display
  end
end

local function fzf_lua()
  local base = { super = { new = function() end } }
  function base:extend()
    return { super = self }
  end
  package.loaded['fzf-lua.previewer.builtin'] = { buffer_or_file = base }
  local function choosing(options)
    P.choose = function(index)
      options.actions.default({ P.shown[index] })
    end
    P.place = function(index)
      return options.previewer:parse_entry(P.shown[index])
    end
    P.open = true
  end
  package.loaded['fzf-lua'] = {
    fzf_exec = function(lines, options)
      P.shown = lines
      choosing(options)
    end,
    fzf_live = function(ask, options)
      P.type = function(text)
        P.shown = ask({ text })
      end
      choosing(options)
    end,
  }
  P.text = function(shown)
    return shown
  end
end

local function snacks()
  local picker = {
    preview = { file = function() end, preview = function() end },
    pick = function(options)
      P.shown = options.items
      P.type = function(text)
        P.shown = options.finder(options, { filter = { search = text } })
      end
      P.choose = function(index)
        options.confirm({ close = function() end }, P.shown[index])
      end
      P.open = true
    end,
  }
  package.loaded['snacks'] = { picker = picker }
  _G.Snacks = package.loaded['snacks']
  P.text = function(shown)
    return shown.text
  end
end

P.install = { telescope = telescope, ['fzf-lua'] = fzf_lua, snacks = snacks }

--- The texts of what is shown, once there is something.
function P.texts()
  return P.shown and #P.shown > 0 and vim.tbl_map(P.text, P.shown)
end

_G.P = P
