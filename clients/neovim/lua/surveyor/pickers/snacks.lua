--- Shows results in snacks.nvim's picker; a search without a query asks as one types.
local results = require('surveyor.results')
local M = {}

local function entry(item, index)
  return {
    idx = index,
    score = 1000 - index,
    text = results.format(item),
    file = item.filename,
    pos = { item.lnum, item.col - 1 },
    end_pos = { item.end_lnum, 0 },
    item = item,
    preview = not item.filename and { text = table.concat(results.text(item), '\n'), ft = 'markdown' } or nil,
  }
end

local function entries(items)
  local list = {}
  for index, item in ipairs(items) do
    table.insert(list, entry(item, index))
  end
  return list
end

local function open(spec)
  local function confirm(command)
    return function(picker, chosen)
      picker:close()
      if chosen then
        results.open(chosen.item, command)
      end
    end
  end
  require('snacks').picker.pick(vim.tbl_extend('force', {
    format = function(chosen)
      return { { chosen.item.label .. '  ', 'Function' }, { chosen.item.place .. '  ', 'Directory' }, { chosen.item.detail, 'Comment' } }
    end,
    preview = function(ctx)
      return require('snacks').picker.preview[ctx.item.file and 'file' or 'preview'](ctx)
    end,
    sort = { fields = { 'score:desc', 'idx' } },
    confirm = confirm('edit'),
    actions = { edit_split = confirm('split'), edit_vsplit = confirm('vsplit'), tab = confirm('tabedit') },
  }, spec))
end

function M.pick(items, title)
  open({ title = title, items = entries(items) })
end

function M.live(title, search)
  open({
    title = title,
    live = true,
    supports_live = true,
    finder = function(_, ctx)
      return entries(search(ctx.filter.search))
    end,
  })
end

return M
