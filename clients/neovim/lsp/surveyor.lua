-- What `vim.lsp.enable('surveyor')` starts. Change any field with `vim.lsp.config('surveyor', …)`.
return require('surveyor.lsp').config()
