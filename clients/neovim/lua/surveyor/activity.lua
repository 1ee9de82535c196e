--- Owns the list of what agents did: filled when asked for, and followed while it is shown.
local M = {}

local TITLE = 'what agents did'

---@param call table one call of an agent's tool
---@return surveyor.Item[] its places; the call alone where it has none that is a file
function M.items(call)
  local said = ('%s  %s %s'):format(call.client, call.tool, call.asked)
  local outcome = (call.failed and 'failed: ' or '') .. call.outcome
  local items = {}
  for _, place in ipairs(call.places) do
    local first = place.range.start.line + 1
    table.insert(items, {
      label = said,
      place = ('%s:%d'):format(place.path, first),
      detail = ('(%s)'):format(place.kind),
      filename = vim.uri_to_fname(place.uri),
      lnum = first,
      end_lnum = place.range['end'].line + 1,
      col = 1,
      hit = place,
    })
  end
  if #items == 0 then
    items = { { label = said, place = '', detail = outcome ~= '' and ('(%s)'):format(outcome) or '', hit = call } }
  end
  return items
end

--- Fills the list.
---@param answer table of `surveyor/activity`
---@param where 'quickfix'|'loclist'
function M.show(answer, where)
  if not answer.kept then
    return vim.notify('Surveyor: nothing is logged: storage.agent_log is false', vim.log.levels.INFO)
  end
  local items = {}
  for _, call in ipairs(answer.calls) do
    vim.list_extend(items, M.items(call))
  end
  if #items == 0 then
    return vim.notify('Surveyor: no agent has asked anything here yet', vim.log.levels.INFO)
  end
  require('surveyor.results').to_list(items, TITLE, where)
end

--- An agent has called a tool: the list gets it, if it is the one that is shown.
---@param call table
function M.receive(call)
  local shown = vim.fn.getqflist({ title = 0, winid = 0 })
  if shown.winid == 0 or shown.title ~= 'Surveyor: ' .. TITLE then
    return
  end
  local entries = require('surveyor.results').entries(M.items(call))
  vim.fn.setqflist({}, 'a', { items = entries })
end

return M
