--- Owns the client's configuration: command, root, capabilities kept back, handlers.
local M = {}

--- Folders in which a file's project is looked for, the most telling first.
local ROOT_MARKERS = {
  { 'surveyor.toml' },
  { '.git' },
  { 'pyproject.toml', 'package.json', 'Cargo.toml', 'go.mod', 'compile_commands.json', 'pom.xml', 'build.gradle' },
}

--- The root of a buffer: the nearest marker, else the working directory when the file is in it.
--- The home folder and the file system's root are nobody's project.
---@param bufnr integer
---@return string|nil
function M.root(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  local home = vim.uv.os_homedir()
  for _, markers in ipairs(ROOT_MARKERS) do
    local root = vim.fs.root(bufnr, markers)
    if root and root ~= home and root ~= '/' then
      return root
    end
  end
  local cwd = vim.uv.cwd()
  if cwd and cwd ~= home and cwd ~= '/' and (name == '' or vim.startswith(vim.fs.normalize(name), cwd .. '/')) then
    return cwd
  end
end

--- File types whose LSP identifier has another name.
local LANGUAGE_IDS = {
  sh = 'shellscript',
  bash = 'shellscript',
  zsh = 'shellscript',
  cs = 'csharp',
  objc = 'objective-c',
  objcpp = 'objective-cpp',
  cuda = 'cuda-cpp',
  ['javascript.jsx'] = 'javascriptreact',
  ['typescript.tsx'] = 'typescriptreact',
  text = 'plaintext',
}

--- The LSP identifier of a buffer's language.
---@param filetype string
---@return string
function M.language_id(_, filetype)
  return LANGUAGE_IDS[filetype] or filetype
end

--- One server for all folders of this Neovim: another root is added to the running client.
---@param client vim.lsp.Client
---@param config table
---@return boolean
local function reuse(client, config)
  if client.name ~= config.name or client:is_stopped() then
    return false
  end
  local root = config.root_dir
  if not root then
    return true
  end
  local folder = { uri = vim.uri_from_fname(root), name = root }
  client.workspace_folders = client.workspace_folders or {}
  for _, known in ipairs(client.workspace_folders) do
    if known.uri == folder.uri then
      return true
    end
  end
  table.insert(client.workspace_folders, folder)
  client:notify('workspace/didChangeWorkspaceFolders', { event = { added = { folder }, removed = {} } })
  return true
end

---@return vim.lsp.Config
function M.config()
  local commands = {}
  for _, name in ipairs({ 'search', 'similar', 'impact', 'reindex', 'status', 'remember' }) do
    commands['surveyor.' .. name] = function(command)
      require('surveyor').run(name, (command.arguments or {})[1])
    end
  end
  commands['surveyor.showReferences'] = function(command)
    require('surveyor').show_references((command.arguments or {})[1])
  end
  return {
    get_language_id = M.language_id,
    cmd = function(dispatchers)
      local server = require('surveyor.server')
      local command, why = server.find()
      if not command then
        server.tell_missing(why)
        error(why, 0)
      end
      return vim.lsp.rpc.start({ command, 'lsp' }, dispatchers, { detached = true })
    end,
    root_dir = function(bufnr, on_dir)
      local server = require('surveyor.server')
      local command, why = server.find()
      if not command then
        server.tell_missing(why)
        return
      end
      local root = M.root(bufnr)
      if root then
        on_dir(root)
      end
    end,
    reuse_client = reuse,
    commands = commands,
    settings = { surveyor = {} },
    before_init = function(params, config)
      require('surveyor.server').is_starting = true
      params.initializationOptions = require('surveyor.config').for_server(config)
    end,
    on_init = function(client)
      require('surveyor.server').is_starting = false
      require('surveyor.companion').watch(client)
      require('surveyor.status').ask(client)
    end,
    on_exit = function(code, signal)
      require('surveyor.server').is_starting = false
      vim.schedule(function()
        require('surveyor.server').after_exit(code, signal)
      end)
    end,
    handlers = {
      ['surveyor/status'] = function(_, status)
        require('surveyor.status').receive(status)
      end,
      ['surveyor/activity'] = function(_, call)
        require('surveyor.activity').receive(call)
      end,
      ['workspace/configuration'] = function(_, params, ctx)
        return require('surveyor.config').answer(params, ctx)
      end,
    },
  }
end

return M
