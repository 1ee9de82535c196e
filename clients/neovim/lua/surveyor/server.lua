--- Owns finding the server, and saying so when there is none or when it died.
local M = {}

--- Whether a server has been started that has not answered `initialize` yet.
M.is_starting = false

local function executable(path)
  return path and vim.fn.executable(path) == 1
end

--- Surveyor's data folder, by the same rules as the server's.
---@return string
function M.data_folder()
  local env = vim.env
  if env.SURVEYOR_DATA_DIR and env.SURVEYOR_DATA_DIR ~= '' then
    return vim.fs.normalize(env.SURVEYOR_DATA_DIR)
  end
  local home = vim.uv.os_homedir()
  if vim.fn.has('win32') == 1 then
    return vim.fs.joinpath(env.LOCALAPPDATA or vim.fs.joinpath(home, 'AppData', 'Local'), 'surveyor')
  elseif vim.fn.has('mac') == 1 then
    return vim.fs.joinpath(home, 'Library', 'Application Support', 'surveyor')
  end
  return vim.fs.joinpath(env.XDG_DATA_HOME or vim.fs.joinpath(home, '.local', 'share'), 'surveyor')
end

--- Commands worth a try, in order: the option, the active environment, PATH, the managed one.
---@return { source: string, command: string }[]
function M.candidates()
  local bin = vim.fn.has('win32') == 1 and 'Scripts' or 'bin'
  local chosen = require('surveyor.config').options.server
  if chosen then
    return { { source = 'the server option', command = vim.fs.normalize(chosen) } }
  end
  local found = {}
  if vim.env.VIRTUAL_ENV then
    table.insert(found, {
      source = 'the active environment',
      command = vim.fs.joinpath(vim.env.VIRTUAL_ENV, bin, 'surveyor'),
    })
  end
  table.insert(found, { source = 'PATH', command = 'surveyor' })
  table.insert(found, {
    source = 'the managed environment',
    command = vim.fs.joinpath(M.data_folder(), 'environments', 'editor', bin, 'surveyor'),
  })
  return found
end

--- The server's command, or nil and a sentence for the user.
---@return string|nil command
---@return string|nil why
function M.find()
  local looked = {}
  for _, candidate in ipairs(M.candidates()) do
    if executable(candidate.command) then
      return vim.fn.exepath(candidate.command)
    end
    table.insert(looked, ('%s (%s)'):format(candidate.source, candidate.command))
  end
  return nil, "Surveyor's server was not found. Looked at " .. table.concat(looked, ', ') .. '. :help surveyor-install'
end

local told = false

--- Says once a session that there is no server.
function M.tell_missing(why)
  if not told then
    told = true
    vim.schedule(function()
      vim.notify(why, vim.log.levels.ERROR, { title = 'Surveyor' })
    end)
  end
end

--- Deaths within this time count together; so many of them end the attempts.
local CRASH_WINDOW_MS = 180000
local MOST_CRASHES = 5
local crashes = {}

--- Starts a server that died again for the buffers that it had; not one that was stopped.
function M.after_exit(code, signal)
  local stopped = code == 0 and signal == 0
  require('surveyor.status').receive(nil)
  if stopped or vim.v.exiting ~= vim.NIL or not vim.lsp.is_enabled('surveyor') then
    return
  end
  local now = vim.uv.now()
  crashes = vim.tbl_filter(function(time)
    return now - time < CRASH_WINDOW_MS
  end, crashes)
  table.insert(crashes, now)
  if #crashes >= MOST_CRASHES then
    crashes = {}
    vim.notify(
      ('Surveyor ended %d times within %d minutes (exit code %d). :Surveyor log shows why, :Surveyor restart tries again.'):format(
        MOST_CRASHES,
        CRASH_WINDOW_MS / 60000,
        code
      ),
      vim.log.levels.ERROR,
      { title = 'Surveyor' }
    )
    return
  end
  -- A moment longer after each death, so that a server that cannot run is no busy loop.
  vim.defer_fn(M.start, 200 * #crashes)
end

--- Starts the client for every loaded buffer that it applies to.
function M.start()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].buftype == '' and vim.bo[bufnr].filetype ~= '' then
      vim.api.nvim_exec_autocmds('FileType', { group = 'nvim.lsp.enable', buffer = bufnr })
    end
  end
end

--- Stops the server and starts it again.
function M.restart()
  told = false
  -- Asked first: the end of one that is killed is an error, which Neovim shows with its log.
  for _, force in ipairs({ false, true }) do
    for _, client in ipairs(vim.lsp.get_clients({ name = 'surveyor' })) do
      client:stop(force)
    end
    local gone = vim.wait(3000, function()
      return #vim.lsp.get_clients({ name = 'surveyor' }) == 0
    end, 20)
    if gone then
      break
    end
  end
  if not vim.lsp.is_enabled('surveyor') then
    vim.lsp.enable('surveyor')
  end
  M.start()
end

return M
