--- Owns what became of a run of tests: a line in words, and the failures as a list.
local M = {}

---@param answer table the answer of `surveyor/test`
---@param where 'quickfix'|'loclist'
function M.show(answer, where)
  local results = require('surveyor.results')
  local said = ('%d passed, %d failed, %d skipped'):format(answer.passed, answer.failed, answer.skipped)
  if #answer.notRun > 0 then
    said = said .. '; not run: ' .. table.concat(answer.notRun, '; ')
  end
  if type(answer.notice) == 'string' then
    said = said .. '; ' .. answer.notice
  end
  local level = answer.ok and vim.log.levels.INFO or vim.log.levels.WARN
  if answer.output ~= '' then
    said = said .. '\n' .. answer.output
  end
  vim.notify(said, level, { title = 'Surveyor' })
  local items = vim.tbl_map(results.from_failure, answer.failures)
  if #items == 0 then
    vim.fn.setqflist({}, ' ', { title = 'Surveyor: tests', items = {} })
  else
    results.to_list(items, 'tests that failed', where)
  end
end

return M
