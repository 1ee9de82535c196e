--- Owns the choice between proxy and companion, buffer by buffer.
---
--- Neovim joins the answers of all clients of a buffer, so where another client serves the same
--- methods ours keeps back: definitions and references would otherwise come twice.
local M = {}

local PROXIED = {
  ['textDocument/definition'] = true,
  ['textDocument/declaration'] = true,
  ['textDocument/typeDefinition'] = true,
  ['textDocument/implementation'] = true,
  ['textDocument/references'] = true,
  ['textDocument/documentHighlight'] = true,
  ['textDocument/documentSymbol'] = true,
  ['textDocument/prepareCallHierarchy'] = true,
  ['textDocument/prepareTypeHierarchy'] = true,
}

--- The client that makes ours a companion in a buffer, if there is one.
---@param bufnr integer
---@return vim.lsp.Client|nil
local function other(bufnr)
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = bufnr })) do
    local capabilities = client.server_capabilities or {}
    if client.name ~= 'surveyor' and (capabilities.definitionProvider or capabilities.referencesProvider) then
      return client
    end
  end
end

--- The mode of a buffer and its reason.
---@param bufnr integer
---@return 'proxy'|'full'|'companion' mode
---@return string reason
function M.decide(bufnr)
  local filetype = vim.bo[bufnr].filetype
  local wanted = require('surveyor.config').mode(filetype)
  if wanted ~= 'auto' then
    return wanted, 'the mode option says so'
  end
  local client = other(bufnr)
  if client then
    return 'companion', ('%s serves this buffer'):format(client.name)
  end
  return 'proxy', 'no other client serves this buffer'
end

--- Modes by LSP language id, as the server reads them.
---@return table<string, { mode: string, reason: string }>
function M.modes()
  local config = require('surveyor.config')
  local modes = {
    ['*'] = config.mode('*') ~= 'auto' and { mode = config.mode('*'), reason = 'the mode option says so' }
      or { mode = 'proxy', reason = 'no other client serves this language' },
  }
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].buftype == '' and vim.bo[bufnr].filetype ~= '' then
      local mode, reason = M.decide(bufnr)
      local language = require('surveyor.lsp').language_id(bufnr, vim.bo[bufnr].filetype)
      -- One buffer with another server is enough: the server knows languages, not buffers.
      if not (modes[language] and modes[language].mode == 'companion') then
        modes[language] = { mode = mode, reason = reason }
      end
    end
  end
  return modes
end

local sent = {} ---@type table<integer, string>

local function push(client)
  local modes = M.modes()
  local now = vim.json.encode(modes)
  if sent[client.id] ~= now and not client:is_stopped() then
    sent[client.id] = now
    client:notify('workspace/didChangeConfiguration', {
      settings = { surveyor = require('surveyor.config').for_server(client.config) },
    })
  end
end

--- Sends the settings again, after they were changed.
function M.push_all()
  sent = {}
  for _, client in ipairs(vim.lsp.get_clients({ name = 'surveyor' })) do
    push(client)
  end
end

--- Keeps a client's proxied methods back where it is a companion, from now on.
---@param client vim.lsp.Client
function M.watch(client)
  local supports = client.supports_method
  ---@diagnostic disable-next-line: duplicate-set-field
  client.supports_method = function(self, method, bufnr)
    if type(self) == 'string' then -- the older form, client.supports_method(method)
      self, method, bufnr = client, self, method
    end
    if type(bufnr) == 'table' then
      bufnr = bufnr.bufnr
    end
    if PROXIED[method] and bufnr then
      bufnr = bufnr == 0 and vim.api.nvim_get_current_buf() or bufnr
      if vim.api.nvim_buf_is_valid(bufnr) and M.decide(bufnr) == 'companion' then
        return false
      end
    end
    return supports(self, method, bufnr)
  end
  local group = vim.api.nvim_create_augroup('surveyor.companion.' .. client.id, { clear = true })
  vim.api.nvim_create_autocmd({ 'LspAttach', 'LspDetach' }, {
    group = group,
    callback = function()
      vim.schedule(function()
        if vim.lsp.get_client_by_id(client.id) then
          push(client)
        else
          sent[client.id] = nil
          pcall(vim.api.nvim_del_augroup_by_id, group)
        end
      end)
    end,
  })
end

return M
