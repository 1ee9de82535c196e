-- What the tests ask of Neovim, as the global H. Each answers false while it has to be waited for.
local H = {}

vim.o.columns, vim.o.lines = 110, 32

_G.messages = {}
vim.notify = function(message)
  table.insert(_G.messages, message)
end

-- vim.ui.select records what it was given; `choose(index)` answers it later.
_G.selected = nil
vim.ui.select = function(items, options, choose)
  local shown = vim.tbl_map(options.format_item or tostring, items)
  _G.selected = { title = options.prompt, shown = shown }
  _G.choose = function(index)
    choose(items[index], index)
  end
end

function H.client()
  return vim.lsp.get_clients({ name = 'surveyor' })[1]
end

function H.said(pattern)
  return vim.iter(_G.messages):any(function(message)
    return message:find(pattern) ~= nil
  end)
end

--- Sends a request of Surveyor's own and returns its result.
function H.ask(method, params)
  local client = H.client()
  local reply = client and client:request_sync(method, params, 5000)
  return reply and reply.result or false
end

--- The projects' states once all are indexed and nothing is behind.
function H.ready()
  local status = H.ask('surveyor/status', vim.empty_dict())
  if not status or #status.projects == 0 then
    return false
  end
  for _, project in ipairs(status.projects) do
    local running = type(project.indexing) == 'table' and project.indexing.phase ~= 'done'
    if running or project.status ~= 'healthy' or project.files == 0 or project.filesBehind > 0 then
      return false
    end
  end
  return status.projects
end

--- The answers of all clients of the buffer, as vim.lsp.buf would join them.
local function answers(method)
  local params = vim.lsp.util.make_position_params(0, 'utf-16')
  params.context = { includeDeclaration = true }
  local found = {}
  for _, reply in pairs(vim.lsp.buf_request_sync(0, method, params, 10000) or {}) do
    if reply.result then
      table.insert(found, reply.result)
    end
  end
  return found
end

--- Places that a method answers at the cursor, as `uri:line:character`, when there are some.
function H.places(method)
  local found = {}
  for _, result in ipairs(answers(method)) do
    for _, place in ipairs((result.uri or result.targetUri) and { result } or result) do
      local start = (place.range or place.targetSelectionRange).start
      table.insert(found, ('%s:%d:%d'):format(place.uri or place.targetUri, start.line, start.character))
    end
  end
  return #found > 0 and found
end

--- The text of the hover at the cursor, once it contains all words.
function H.hover(...)
  local text = ''
  for _, result in ipairs(answers('textDocument/hover')) do
    local contents = result.contents
    text = text .. (type(contents) == 'table' and contents.value or tostring(contents))
  end
  for _, word in ipairs({ ... }) do
    if not text:lower():find(word, 1, true) then
      return false
    end
  end
  return text
end

--- The hit for a symbol, from an unsaved buffer or from the disk.
function H.hit(symbol, unsaved)
  local answer = H.ask('surveyor/search', { query = symbol, limit = 5, uri = vim.uri_from_bufnr(0) })
  for _, hit in ipairs(answer and answer.results or {}) do
    if hit.symbol == symbol and (type(hit.unsavedVersion) == 'number') == unsaved then
      return hit
    end
  end
  return false
end

--- Texts of the floating windows.
function H.floats()
  local texts = {}
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
      table.insert(texts, table.concat(lines, '\n'))
    end
  end
  return texts
end

--- Rows of the current window that a floating window hides.
function H.covered()
  local top = vim.api.nvim_win_get_position(0)[1]
  local hidden = 0
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local place = vim.api.nvim_win_get_config(window)
    if place.relative == 'editor' then
      hidden = math.max(hidden, place.row + place.height + 2 - top)
    end
  end
  return hidden
end

--- Names of the mappings that the plugin offers.
function H.mappings()
  local names = {}
  for _, mode in ipairs({ 'n', 'x' }) do
    for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
      table.insert(names, map.lhs:match('^<Plug>%(surveyor%-(%a+)%)$'))
    end
  end
  return names
end

--- Statusline texts and whether indexing was seen, from now on.
function H.record_status()
  _G.lines, _G.indexing = {}, false
  vim.api.nvim_create_autocmd('User', {
    pattern = 'SurveyorStatus',
    callback = function()
      table.insert(_G.lines, require('surveyor').statusline())
      local status = require('surveyor.status').last
      for _, project in ipairs(status and status.projects or {}) do
        if project.status == 'indexing' or type(project.indexing) == 'table' then
          _G.indexing = true
        end
      end
    end,
  })
end

_G.H = H
