--- Owns what is known of the server's state: the statusline and the status window.
local results = require('surveyor.results')

local M = {}

---@type table|nil the last `surveyor/status`
M.last = nil

function M.receive(status)
  M.last = status
  vim.api.nvim_exec_autocmds('User', { pattern = 'SurveyorStatus', modeline = false })
  vim.cmd.redrawstatus()
end

--- Asks a client for its state.
---@param client vim.lsp.Client
function M.ask(client)
  client:request('surveyor/status', vim.empty_dict(), function(err, status)
    if not err and status then
      M.receive(status)
    end
  end)
end

local function running(project)
  return not project.paused and type(project.indexing) == 'table' and project.indexing.phase ~= 'done'
end

local function text(value)
  return type(value) == 'string' and value or nil
end

--- A few words for a statusline; empty when no server runs.
---@return string
function M.statusline()
  if #vim.lsp.get_clients({ name = 'surveyor' }) == 0 then
    return ''
  end
  local status = M.last
  if not status then
    return 'Surveyor …'
  end
  local done, total, behind, indexing, trouble = 0, 0, 0, false, nil
  local paused = #status.projects > 0
  for _, project in ipairs(status.projects) do
    if running(project) then
      indexing = true
      done, total = done + project.indexing.done, total + project.indexing.total
    elseif project.reason == 'not_indexed' then
      trouble = trouble or 'not indexed'
    elseif project.status ~= 'healthy' and project.status ~= 'indexing' then
      trouble = trouble or project.status
    end
    behind = behind + project.filesBehind
    paused = paused and project.paused
  end
  if indexing then
    return total > 0 and ('Surveyor %d%%%%'):format(math.min(100, math.floor(100 * done / total))) or 'Surveyor indexing'
  elseif status.engine.state ~= 'up' then
    return 'Surveyor engine ' .. status.engine.state
  elseif trouble then
    return 'Surveyor ' .. trouble
  elseif paused then
    return 'Surveyor paused'
  elseif behind > 0 then
    return ('Surveyor %d behind'):format(behind)
  end
  return 'Surveyor'
end

local function bytes(count)
  local units, unit = { 'B', 'KB', 'MB', 'GB' }, 1
  while count >= 1024 and unit < #units do
    count, unit = count / 1024, unit + 1
  end
  return unit == 1 and ('%d B'):format(count) or ('%.1f %s'):format(count, units[unit])
end

--- The state of everything, line by line.
---@return string[]
function M.lines()
  local status = M.last
  local client = vim.lsp.get_clients({ name = 'surveyor' })[1]
  if not client then
    local command, why = require('surveyor.server').find()
    return { command and 'Surveyor is not running in this Neovim.' or why }
  end
  if not status then
    return { 'Surveyor is starting.' }
  end
  local engine = status.engine
  local lines = { ('Engine %s, version %s'):format(engine.state, engine.version) }
  if text(engine.message) then
    table.insert(lines, '  ' .. engine.message)
  end
  for _, project in ipairs(status.projects) do
    table.insert(lines, '')
    table.insert(lines, ('%s  %s'):format(project.name, project.root))
    local state = project.status
    if running(project) then
      state = ('indexing %d of %d'):format(project.indexing.done, project.indexing.total)
    elseif text(project.message) then
      state = ('%s: %s'):format(state, project.message)
    end
    table.insert(lines, '  ' .. state .. (project.paused and ', paused' or ''))
    table.insert(
      lines,
      ('  %s, %s, %d behind, %d skipped'):format(
        results.counted(project.files, 'file'),
        results.counted(project.chunks, 'chunk'),
        project.filesBehind,
        project.skipped
      )
    )
  end
  for _, upstream in ipairs(status.upstreams or {}) do
    table.insert(lines, '')
    local reason = text(upstream.reason) and ': ' .. upstream.reason or ''
    if upstream.name == '' then
      table.insert(lines, ('%s: %s%s'):format(upstream.language, upstream.state, reason))
    else
      local state = upstream.ready and 'ready' or upstream.state
      local about = ('%s, %s, %d restarts'):format(state, bytes(upstream.memoryBytes), upstream.restarts)
      table.insert(lines, ('%s (%s, %s): %s%s'):format(upstream.name, upstream.language, upstream.mode, about, reason))
    end
  end
  local bufnr = vim.api.nvim_get_current_buf()
  if #vim.lsp.get_clients({ name = 'surveyor', bufnr = bufnr }) > 0 then
    local mode, reason = require('surveyor.companion').decide(bufnr)
    table.insert(lines, '')
    table.insert(lines, ('This buffer: %s, because %s'):format(mode, reason))
  end
  return lines
end

--- Opens the state in a window; q closes it.
function M.show()
  local function open()
    local lines = M.lines()
    -- The current buffer is the one asked about, so the lines are made before the window.
    local _, winid = vim.lsp.util.open_floating_preview(lines, '', {
      border = 'rounded',
      title = ' Surveyor ',
      focus_id = 'surveyor-status',
      max_width = math.floor(vim.o.columns * 0.9),
    })
    return winid
  end
  local client = vim.lsp.get_clients({ name = 'surveyor' })[1]
  if not client then
    open()
    return
  end
  client:request('surveyor/status', vim.empty_dict(), function(err, status)
    if not err and status then
      M.receive(status)
    end
    open()
  end)
end

return M
