--- Shows results through `vim.ui.select`, whatever the user has put there.
local results = require('surveyor.results')
local M = {}

function M.pick(items, title)
  vim.ui.select(items, {
    prompt = title,
    kind = 'surveyor',
    format_item = results.format,
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
