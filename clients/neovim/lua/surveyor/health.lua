--- Owns `:checkhealth surveyor`.
local M = {}

function M.check()
  local health = vim.health
  health.start('Neovim')
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok('version ' .. tostring(vim.version()))
  else
    health.error('Neovim 0.11 or newer is needed', { 'update Neovim' })
    return
  end

  health.start('Server')
  local command, why = require('surveyor.server').find()
  if command then
    local ok, done = pcall(function()
      return vim.system({ command, '--version' }, { text = true, timeout = 15000 }):wait()
    end)
    if ok and done.code == 0 and (done.stdout or ''):match('^surveyor %d') then
      health.ok(('%s: %s'):format(command, vim.trim(done.stdout)))
    elseif ok and done.code == 0 then
      local said = vim.inspect(vim.split(vim.trim(done.stdout or ''), '\n')[1])
      health.error(('%s is another program: it answers %s to --version'):format(command, said), { "set the 'server' option" })
    else
      health.error(command .. ' does not run', { ok and vim.trim(done.stderr or '') or tostring(done) })
    end
  else
    health.error(why, { ":help surveyor-install, or set the 'server' option" })
  end

  health.start('Client')
  if vim.lsp.is_enabled('surveyor') then
    health.ok("vim.lsp.enable('surveyor') was called")
  else
    health.warn('Surveyor is not enabled', { "add vim.lsp.enable('surveyor') to your configuration" })
  end
  local clients = vim.lsp.get_clients({ name = 'surveyor' })
  if #clients == 1 then
    health.ok(('one client, %d buffers'):format(vim.tbl_count(clients[1].attached_buffers)))
  elseif #clients == 0 then
    health.info('no client runs; open a file of a project')
  else
    health.warn(#clients .. ' clients run; one is meant', { 'start Surveyor by vim.lsp.enable alone' })
  end
  for _, line in ipairs(require('surveyor.status').lines()) do
    if line ~= '' then
      health.info(line)
    end
  end

  health.start('Pickers')
  health.info('results are shown by ' .. require('surveyor.pickers').name())
end

return M
