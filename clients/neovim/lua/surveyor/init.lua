--- Surveyor for Neovim: what commands, mappings and the statusline call.
local M = {}

--- A live picker waits for an answer this long before it shows none, in milliseconds: the first
--- one may come only once the engine has loaded its model.
local LIVE_TIMEOUT_MS = 5000

--- A command waits so long for a server that is just being started: whoever opens a file and asks at
--- once is asking in time. Ctrl-C ends the wait.
local START_TIMEOUT_MS = 20000

local function say(message, level)
  vim.notify(message, level or vim.log.levels.INFO, { title = 'Surveyor' })
end

--- Sets options; only needed to change one. Raises an error that names a wrong option.
---@param options surveyor.Options|nil
function M.setup(options)
  require('surveyor.config').setup(options)
  require('surveyor.companion').push_all()
end

--- A few words for a statusline; empty when no server runs.
---@return string
function M.statusline()
  return require('surveyor.status').statusline()
end

--- The client of a buffer, or any; says why when there is none.
---@return vim.lsp.Client|nil
local function client()
  local function running()
    return vim.lsp.get_clients({ name = 'surveyor', bufnr = 0 })[1] or vim.lsp.get_clients({ name = 'surveyor' })[1]
  end
  local server = require('surveyor.server')
  if not running() and server.is_starting then
    vim.wait(START_TIMEOUT_MS, function()
      return running() ~= nil or not server.is_starting
    end, 20)
  end
  local found = running()
  if found then
    return found
  end
  local _, why = require('surveyor.server').find()
  if why then
    say(why, vim.log.levels.ERROR)
  elseif not vim.lsp.is_enabled('surveyor') then
    say("Surveyor is not enabled: vim.lsp.enable('surveyor')", vim.log.levels.WARN)
  elseif server.is_starting then
    say('Surveyor is still being started. Ask again in a moment.', vim.log.levels.WARN)
  else
    say('Surveyor is not running. Open a file of a project first.', vim.log.levels.WARN)
  end
end

---@param method string
---@param params table
---@param done fun(answer: table, client: vim.lsp.Client)
local function request(method, params, done)
  local found = client()
  if not found then
    return
  end
  if next(params) == nil then
    params = vim.empty_dict()
  end
  -- Without a buffer: Neovim holds changes back for 150 ms, and sends those of all buffers first only
  -- then. With 0 it looks for a buffer of that number, finds none, and the server is asked too early.
  found:request(method, params, function(err, answer)
    if err then
      say(err.message or tostring(err), vim.log.levels.ERROR)
    elseif answer then
      done(answer, found)
    end
  end)
end

local function buffer_uri()
  local name = vim.api.nvim_buf_get_name(0)
  if vim.bo.buftype == '' and name ~= '' then
    return vim.uri_from_bufnr(0)
  end
end

--- What a search is about: the buffer's file, else the client's first folder.
local function scope_uri(found)
  local uri = buffer_uri()
  if uri then
    return uri
  end
  local folder = (found and found.workspace_folders or {})[1]
  return folder and folder.uri
end

local function position()
  local found = client()
  if not found then
    return nil
  end
  return vim.lsp.util.make_position_params(0, found.offset_encoding)
end

---@param answer table of search or similar
---@param title string
---@param where nil|'quickfix'|'loclist'
local function show_hits(answer, title, where)
  local items = vim.tbl_map(require('surveyor.results').from_hit, answer.results)
  local notes = {}
  if type(answer.notice) == 'string' then
    table.insert(notes, answer.notice)
  end
  if answer.status ~= 'healthy' then
    local behind = answer.filesBehind
    table.insert(notes, 'index ' .. answer.status)
    if behind > 0 then
      table.insert(notes, ('%d file%s behind'):format(behind, behind == 1 and '' or 's'))
    end
  end
  if #items == 0 and answer.status == 'indexing' then
    say('Nothing found yet: the index is being made (:Surveyor status)')
    return
  elseif #items == 0 then
    say(table.concat(vim.list_extend({ 'Nothing found' }, notes), '; '))
    return
  end
  local picker = not where and require('surveyor.pickers').get() or {}
  if #notes > 0 and picker.shows_notes and picker.shows_notes() then
    title = title .. ': ' .. table.concat(notes, '; ')
  elseif #notes > 0 then
    say(table.concat(notes, '; '))
  end
  if where then
    require('surveyor.results').to_list(items, title, where)
  else
    picker.pick(items, title)
  end
end

---@param text string
---@return table|nil params
local function search_params(text, found)
  local params, problems = require('surveyor.query').parse(text)
  for _, problem in ipairs(problems) do
    say(problem, vim.log.levels.WARN)
  end
  if vim.trim(params.query) == '' then
    return nil
  end
  params.limit = require('surveyor.config').options.limit
  params.uri = scope_uri(found)
  return params
end

--- The search for a pattern that is under way, to be cancelled.
local searching

--- Ends the search for a pattern that is under way; false where none is.
---@return boolean
function M.stop_search()
  local ended = searching
  if ended then
    ended.client:cancel_request(ended.id)
    vim.api.nvim_del_autocmd(ended.shows)
    searching = nil
  end
  return ended ~= nil
end

--- Searches for a pattern, for which every file may have to be read: says how far it is.
---@param found vim.lsp.Client
---@param params table
---@param done fun(answer: table)
local function search_pattern(found, params, done)
  M.stop_search()
  params.workDoneToken = 'surveyor-search'
  local own = {}
  own.shows = vim.api.nvim_create_autocmd('LspProgress', {
    callback = function(event)
      local told = event.data.params
      if searching == own and told.token == params.workDoneToken and told.value.message then
        local text = ('Surveyor: %s (:Surveyor search stop ends it)'):format(told.value.message)
        vim.api.nvim_echo({ { text } }, false, {})
        vim.cmd.redraw()
      end
    end,
  })
  local ok, id = found:request('surveyor/search', params, function(err, answer)
    if searching ~= own then
      return
    end
    vim.api.nvim_del_autocmd(own.shows)
    searching = nil
    if err then
      say(err.message or tostring(err), vim.log.levels.ERROR)
    elseif answer then
      done(answer)
    end
  end)
  if ok then
    own.client, own.id = found, id
    searching = own
  else
    vim.api.nvim_del_autocmd(own.shows)
  end
end

--- Searches by meaning. Without a query, asks for one (as one types, where the picker can).
---@param query string|nil
---@param where nil|'quickfix'|'loclist'
function M.search(query, where)
  local found = client()
  if not found then
    return
  end
  if query and vim.trim(query) ~= '' then
    local params = search_params(query, found)
    local function show(answer)
      show_hits(answer, query, where)
    end
    if params and params.mode == 'pattern' then
      search_pattern(found, params, show)
    elseif params then
      request('surveyor/search', params, show)
    end
    return
  end
  local live = not where and require('surveyor.pickers').get().live
  if live then
    live('Search by meaning', function(text)
      local params = require('surveyor.query').parse(text)
      if vim.trim(params.query) == '' then
        return {}
      end
      params.limit = require('surveyor.config').options.limit
      params.uri = scope_uri(found)
      local reply = found:request_sync('surveyor/search', params, LIVE_TIMEOUT_MS)
      local results = reply and reply.result and reply.result.results or {}
      return vim.tbl_map(require('surveyor.results').from_hit, results)
    end)
    return
  end
  vim.ui.input({ prompt = 'Search by meaning: ' }, function(text)
    if text and vim.trim(text) ~= '' then
      M.search(text, where)
    end
  end)
end

--- Document and range of a question about lines; nil where the buffer is no file, which is said.
---@param range { first: integer, last: integer }|nil
---@param without string what is said then
---@return table|nil
local function asked_lines(range, without)
  local uri = buffer_uri()
  if not uri then
    say(without, vim.log.levels.WARN)
    return nil
  end
  local line = vim.api.nvim_win_get_cursor(0)[1]
  -- An empty range means the definition around it.
  range = range or { first = line, last = line - 1 }
  return {
    textDocument = { uri = uri },
    range = { start = { line = range.first - 1, character = 0 }, ['end'] = { line = range.last, character = 0 } },
  }
end

--- Finds code that does what a range of lines does (1-based, inclusive); without one, what the
--- definition around the cursor does.
---@param range { first: integer, last: integer }|nil
---@param where nil|'quickfix'|'loclist'
function M.similar(range, where)
  local params = asked_lines(range, 'Similar code needs a file')
  if not params then
    return
  end
  params.limit = require('surveyor.config').options.limit
  request('surveyor/similar', params, function(answer)
    show_hits(answer, 'similar code', where)
  end)
end

--- Most dependants of a symbol that are asked for where all are meant.
local EVERY = 100000

--- Lists the commits that changed a range of lines (1-based, inclusive), or without one the
--- definition around the cursor; choosing one shows what it did.
---@param range { first: integer, last: integer }|nil
function M.history(range)
  local params = asked_lines(range, 'A history needs a file')
  if not params then
    return
  end
  params.limit = require('surveyor.history').MOST
  request('surveyor/history', params, require('surveyor.history').choose)
end

--- Lists the tests that reach the symbol under the cursor.
---@param where nil|'quickfix'|'loclist'
function M.related_tests(where)
  local params = position()
  if not params then
    return
  end
  params.limit = EVERY
  request('surveyor/impact', params, function(answer)
    local results = require('surveyor.results')
    local items = {}
    for _, item in ipairs(answer.inbound) do
      if item.isTest then
        table.insert(items, results.from_impact(item, 'uses it'))
      end
    end
    if type(answer.symbol) ~= 'string' then
      say('There is no symbol under the cursor that Surveyor knows')
      return
    end
    local why = type(answer.notice) == 'string' and answer.notice or 'the index is not finished'
    local doubt = answer.complete and '' or '; there may be others: ' .. why
    if #items == 0 then
      say(('No test that Surveyor knows of reaches %s%s'):format(answer.symbol, doubt))
    else
      local reach = results.counted(#items, 'test') .. (#items == 1 and ' reaches' or ' reach')
      local run = #items == 1 and 'it' or 'them'
      say(('%s %s%s (:Surveyor test %s runs %s)'):format(reach, answer.symbol, doubt, answer.symbol, run))
      results.to_list(items, 'tests of ' .. answer.symbol, where or 'quickfix')
    end
  end)
end

--- Asks which language server that Surveyor runs is meant, and shows its log or starts it anew.
function M.servers()
  request('surveyor/status', {}, function(status)
    require('surveyor.language_servers').choose(status.upstreams or {}, request)
  end)
end

--- Shows what depends on the symbol under the cursor, and what it depends on: as a tree, or in a list.
---@param where nil|'quickfix'|'loclist'
---@param params table|nil of `surveyor/impact`
function M.impact(where, params)
  params = params or position()
  if not params then
    return
  end
  request('surveyor/impact', params, function(answer)
    local name = type(answer.symbol) == 'table' and answer.symbol.name or answer.symbol
    if type(name) ~= 'string' then
      say('There is no symbol under the cursor that Surveyor knows')
      return
    end
    if #answer.inbound + #answer.outbound == 0 then
      say(('Nothing depends on %s, as far as the index knows'):format(name))
      return
    end
    local left = type(answer.omitted) == 'number' and answer.omitted or 0
    local title = ('impact of %s (%s%s)'):format(name, answer.precision, answer.complete and '' or ', incomplete')
    if not where then
      require('surveyor.tree').show(answer, title, left > 0 and function()
        M.impact(nil, vim.tbl_extend('force', params, { limit = EVERY }))
      end or nil)
      return
    end
    if left > 0 then
      say(('%d more places are not shown; the tree has them all'):format(left))
    end
    local results = require('surveyor.results')
    local items = {}
    for _, item in ipairs(answer.inbound) do
      table.insert(items, results.from_impact(item, 'uses it'))
    end
    for _, item in ipairs(answer.outbound) do
      table.insert(items, results.from_impact(item, 'it uses'))
    end
    results.to_list(items, title, where)
  end)
end

--- Lists what a change leaves behind: calls that no longer fit, names that are gone, new errors; and
--- the tests that reach it, after the places.
---@param diff string|nil 'staged' or a git range; the working tree with unsaved buffers otherwise
---@param where nil|'quickfix'|'loclist'
function M.check(diff, where)
  request('surveyor/check', { uri = scope_uri(client()), diff = diff or 'working' }, function(answer)
    local results = require('surveyor.results')
    local items = vim.tbl_map(results.from_check, answer.places)
    local found = #items
    vim.list_extend(
      items,
      vim.tbl_map(function(path)
        return results.from_test(answer.root, path)
      end, answer.tests)
    )
    local lacks = vim.list_extend({ type(answer.notice) == 'string' and answer.notice or nil }, answer.unasked or {})
    local said = found == 0 and 'The change leaves nothing behind' or results.counted(found, 'place') .. ' to look at'
    if #answer.tests > 0 then
      said = said .. ('; %s to run (:Surveyor test)'):format(results.counted(#answer.tests, 'test'))
    end
    if #lacks > 0 then
      said = said .. '; not looked at: ' .. table.concat(lacks, '; ')
    end
    say(said)
    if #items == 0 then
      vim.fn.setqflist({}, ' ', { title = 'Surveyor: check', items = {} })
      return
    end
    results.to_list(items, 'what the change leaves behind', where or 'quickfix')
  end)
end

--- The request that tests run for, to be cancelled.
local running

--- Runs tests and lists those that failed.
---@param target string|nil a file, a folder, file::test or a definition; else what reaches the change
---@param where nil|'quickfix'|'loclist'
function M.test(target, where)
  local found = client()
  if not found then
    return
  end
  M.stop_tests()
  local targets = target and { vim.uv.fs_stat(target) and vim.fn.fnamemodify(target, ':p') or target } or {}
  local params = { uri = scope_uri(found), targets = targets, workDoneToken = 'surveyor-tests' }
  say('Running tests; :Surveyor test stop ends them')
  local ok, id = found:request('surveyor/test', params, function(err, answer)
    running = nil
    if err then
      say(err.message or tostring(err), vim.log.levels.ERROR)
    elseif answer then
      require('surveyor.tests').show(answer, where or 'quickfix')
    end
  end)
  running = ok and { client = found, id = id } or nil
end

--- Ends the tests that run.
function M.stop_tests()
  if running then
    running.client:cancel_request(running.id)
    running = nil
  end
end

--- Lists what agents read and changed in the workspace, the latest last, and follows it.
---@param session string|nil the beginning of a session's name
---@param where nil|'quickfix'|'loclist'
function M.activity(session, where)
  request('surveyor/activity', { session = session or '' }, function(answer)
    require('surveyor.activity').show(answer, where or 'quickfix')
  end)
end

--- Shows the state of the index and of the language servers.
function M.status()
  require('surveyor.status').show()
end

--- Brings the index of the buffer's folder up to date; from nothing with `clean`.
---@param clean boolean|nil
function M.reindex(clean)
  request('surveyor/reindex', { uri = scope_uri(client()), clean = clean or false }, function(answer)
    if type(answer.notice) ~= 'string' then -- else the server says why it waits
      say('Reindexing ' .. (answer.root or ''))
    end
  end)
end

--- Stores a rule about the symbol under the cursor; asks for what is missing.
---@param content string|nil
---@param given table|nil parameters of `surveyor/remember`
function M.remember(content, given)
  local params = vim.deepcopy(given or {})
  if params.scope == 'global' then
    params.textDocument, params.position = nil, nil -- a place would tie it to one project
  elseif not params.textDocument and buffer_uri() then
    local here = position()
    if here then
      params.textDocument, params.position = here.textDocument, here.position
    end
  end
  local function store(text)
    local words = {}
    for word in text:lower():gmatch('[%w_]+') do
      table.insert(words, word)
    end
    params.content = text
    params.scope = params.scope or 'project'
    params.label = params.label or (#words > 0 and table.concat(words, '-', 1, math.min(5, #words)) or 'rule')
    request('surveyor/remember', params, function(answer)
      say(('%s as %s'):format(answer.status == 'done' and 'Remembered' or 'Will be remembered', answer.label))
    end)
  end
  content = content or params.content
  if content and vim.trim(content) ~= '' then
    store(content)
    return
  end
  vim.ui.input({ prompt = 'Remember: ' }, function(text)
    if text and vim.trim(text) ~= '' then
      store(text)
    end
  end)
end

--- The last of the rules to choose from.
local NEW_RULE = { label = 'A new rule …' }

--- Opens a new rule about the symbol under the cursor in a buffer, once it has a label.
local function new_rule()
  local given = { action = 'add', uri = scope_uri(client()) }
  local here = buffer_uri() and position()
  if here then
    given.textDocument, given.position = here.textDocument, here.position
  end
  vim.ui.input({ prompt = 'Label: ' }, function(label)
    if label and vim.trim(label) ~= '' then
      require('surveyor.rules').edit({ label = vim.trim(label), scope = 'project' }, given)
    end
  end)
end

--- Lists the rules of the project; choosing one opens it in a buffer, where writing saves it.
function M.rules()
  local found = client()
  local uri = scope_uri(found)
  request('surveyor/rules', { uri = uri }, function(answer)
    vim.ui.select(vim.list_extend(answer.rules, { NEW_RULE }), {
      prompt = 'Rules',
      format_item = function(rule)
        if rule == NEW_RULE then
          return rule.label
        end
        local title = type(rule.title) == 'string' and rule.title ~= '' and rule.title or rule.label
        return ('%s (%s%s)'):format(title, rule.scope, rule.needsReview and ', needs review' or '')
      end,
    }, function(rule)
      if rule == NEW_RULE then
        new_rule()
      elseif rule then
        local root = buffer_uri() and require('surveyor.lsp').root(0) or vim.tbl_get(found or {}, 'workspace_folders', 1, 'name')
        require('surveyor.rules').edit(rule, { action = 'update', uri = uri }, root)
      end
    end)
  end)
end

--- Lists the files that are not indexed, with reasons, in the quickfix list.
function M.skipped()
  local found = client()
  request('surveyor/skipped', { uri = scope_uri(found) }, function(answer)
    local root = vim.tbl_get(found or {}, 'workspace_folders', 1, 'name') or ''
    local entries = vim.tbl_map(function(file)
      return { filename = vim.fs.joinpath(root, file.path), lnum = 1, text = ('%s %s'):format(file.reason, file.detail) }
    end, answer.files)
    vim.fn.setqflist({}, ' ', { title = 'Surveyor: skipped files', items = entries })
    vim.cmd('botright copen')
  end)
end

--- Pauses or resumes indexing, skips a folder, or removes its index.
---@param action 'pause'|'resume'|'skip'|'remove'
function M.control(action)
  if (action == 'remove' or action == 'skip') and vim.fn.confirm(("Surveyor: %s this folder's index?"):format(action), '&Yes\n&No', 2) ~= 1 then
    return
  end
  request('surveyor/control', { uri = scope_uri(client()), action = action }, function()
    say(({ pause = 'Paused', resume = 'Resumed', skip = 'Skipped', remove = 'Removed' })[action])
  end)
end

--- Opens Neovim's log of language servers at its end.
function M.log()
  vim.cmd.tabnew(vim.fn.fnameescape(vim.lsp.log.get_filename()))
  vim.cmd('normal! G')
end

--- Lists the references of a place, as the references lens does.
---@param at { uri: string, position: lsp.Position }
function M.show_references(at)
  local bufnr = vim.uri_to_bufnr(at.uri)
  vim.api.nvim_win_set_buf(0, bufnr)
  vim.api.nvim_win_set_cursor(0, { at.position.line + 1, at.position.character })
  vim.lsp.buf.references()
end

--- Runs a command by its name with the parameters of its request, as code lenses do.
---@param name string
---@param params table|nil
function M.run(name, params)
  params = params or {}
  if name == 'search' then
    M.search(params.query)
  elseif name == 'similar' and params.range then
    request('surveyor/similar', params, function(answer)
      show_hits(answer, 'similar code')
    end)
  elseif name == 'remember' then
    M.remember(params.content, params)
  else
    M[name]()
  end
end

return M
