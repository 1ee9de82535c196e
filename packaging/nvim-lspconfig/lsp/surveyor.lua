---@brief
---
--- Surveyor indexes the project on your machine and answers workspace symbols by meaning. It adds a section
--- to hovers, lenses and its own commands, beside the language's server.
---
--- The server is the `surveyor` command of the Python package of that name. It is started as a
--- companion: symbols by name, definitions, references and hierarchies stay with the other servers of the buffer. Where there
--- are none, it starts the language's server itself:
---
--- ```lua
--- vim.lsp.config('surveyor', { init_options = { mode = 'full' } })
--- ```

---@type vim.lsp.Config
return {
  cmd = { 'surveyor', 'lsp' },
  root_markers = { 'surveyor.toml', '.git' },
  workspace_required = true,
  init_options = { mode = 'companion' },
}
