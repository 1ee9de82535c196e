--- Owns `:Surveyor`: its subcommands, their arguments and completion.
local M = {}

---@class surveyor.Subcommand
---@field run fun(text: string, args: table, where: nil|'quickfix'|'loclist')
---@field about string
---@field takes? 'text'|string[] what may follow; nothing where it is absent

---@type table<string, surveyor.Subcommand>
M.subcommands = {
  search = {
    about = 'search by meaning: :Surveyor search retry with backoff lang:python; stop ends one for a pattern',
    takes = 'text',
    run = function(text, _, where)
      if text ~= 'stop' or not require('surveyor').stop_search() then
        require('surveyor').search(text ~= '' and text or nil, where)
      end
    end,
  },
  similar = {
    about = 'code that does what the range does, or the definition around the cursor',
    run = function(_, args, where)
      require('surveyor').similar(args.range > 0 and { first = args.line1, last = args.line2 } or nil, where)
    end,
  },
  impact = {
    about = 'what depends on the symbol under the cursor',
    run = function(_, _, where)
      require('surveyor').impact(where)
    end,
  },
  history = {
    about = 'the commits that changed the range, or the definition around the cursor',
    run = function(_, args)
      require('surveyor').history(args.range > 0 and { first = args.line1, last = args.line2 } or nil)
    end,
  },
  tests = {
    about = 'the tests that reach the symbol under the cursor',
    run = function(_, _, where)
      require('surveyor').related_tests(where)
    end,
  },
  servers = {
    about = 'the log of a language server, or another start of it',
    run = function()
      require('surveyor').servers()
    end,
  },
  check = {
    about = 'what your change leaves behind; also :Surveyor check staged, :Surveyor check main..HEAD',
    takes = 'text',
    run = function(text, _, where)
      require('surveyor').check(text ~= '' and text or nil, where)
    end,
  },
  test = {
    about = 'run the tests that reach your change; also :Surveyor test FILE, ::NAME or a definition, stop',
    takes = 'text',
    run = function(text, _, where)
      if text == 'stop' then
        require('surveyor').stop_tests()
      else
        require('surveyor').test(text ~= '' and text or nil, where)
      end
    end,
  },
  activity = {
    about = 'what agents read and changed here; also :Surveyor activity SESSION',
    takes = 'text',
    run = function(text, _, where)
      require('surveyor').activity(text ~= '' and text or nil, where)
    end,
  },
  remember = {
    about = 'store a rule about the symbol under the cursor',
    takes = 'text',
    run = function(text)
      local everywhere = text:match('^%+%+global%s*(.*)$')
      text = everywhere or text
      require('surveyor').remember(text ~= '' and text or nil, everywhere and { scope = 'global' } or nil)
    end,
  },
  rules = {
    about = 'the rules of this project',
    run = function()
      require('surveyor').rules()
    end,
  },
  status = {
    about = 'state of the index and of the language servers',
    run = function()
      require('surveyor').status()
    end,
  },
  reindex = {
    about = 'bring the index up to date; with "clean" from nothing',
    takes = { 'clean' },
    run = function(text)
      require('surveyor').reindex(text == 'clean')
    end,
  },
  skipped = {
    about = 'files that are not indexed, and why',
    run = function()
      require('surveyor').skipped()
    end,
  },
  log = {
    about = "open Neovim's log of language servers",
    run = function()
      require('surveyor').log()
    end,
  },
  restart = {
    about = 'stop the server and start it again',
    run = function()
      require('surveyor.server').restart()
    end,
  },
}

for action, about in pairs({
  pause = 'pause indexing of this folder',
  resume = 'resume indexing of this folder',
  skip = 'leave this folder alone from now on',
  remove = "remove this folder's index",
}) do
  M.subcommands[action] = {
    about = about,
    run = function()
      require('surveyor').control(action)
    end,
  }
end

local LISTS = { ['++qf'] = 'quickfix', ['++loc'] = 'loclist' }

--- What is said of a text that a subcommand does not take: left out, it would seem to be obeyed.
---@param subcommand surveyor.Subcommand
local function refusal(name, subcommand, text)
  local takes = subcommand.takes or {}
  if text == '' or takes == 'text' or vim.list_contains(takes, text) then
    return nil
  end
  local taken = #takes > 0 and ('only %s after it'):format(table.concat(takes, ', ')) or 'nothing after it'
  return (':Surveyor %s takes %s, and not %s: %s'):format(name, taken, text, subcommand.about)
end

---@param args table as `nvim_create_user_command` gives them
function M.run(args)
  local name, text = args.args:match('^%s*(%S+)%s*(.-)%s*$')
  local subcommand = name and M.subcommands[name]
  if not subcommand then
    local names = vim.tbl_keys(M.subcommands)
    table.sort(names)
    local said = name and ('there is no :Surveyor %s; '):format(name) or ''
    vim.notify(said .. ':Surveyor takes ' .. table.concat(names, ', '), vim.log.levels.ERROR, { title = 'Surveyor' })
    return
  end
  local where = args.bang and 'quickfix' or nil
  local option, rest = text:match('^(%+%+%S+)%s*(.*)$')
  if option and LISTS[option] then
    where, text = LISTS[option], rest
  end
  local refused = refusal(name, subcommand, text)
  if refused then
    vim.notify(refused, vim.log.levels.ERROR, { title = 'Surveyor' })
    return
  end
  subcommand.run(text, args, where)
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local before = line:gsub('^.-Surveyor!?%s*', '')
  local choices
  if not before:find('%s') then
    choices = vim.tbl_keys(M.subcommands)
  elseif before:match('^search%s') then
    choices = vim.list_extend(vim.tbl_keys(LISTS), require('surveyor.query').filters)
  elseif before:match('^similar%s') or before:match('^impact%s') or before:match('^tests%s') then
    choices = vim.tbl_keys(LISTS)
  elseif before:match('^remember%s') then
    choices = { '++global' }
  elseif before:match('^check%s') then
    choices = vim.list_extend(vim.tbl_keys(LISTS), { 'staged' })
  elseif before:match('^reindex%s') then
    choices = { 'clean' }
  else
    choices = {}
  end
  table.sort(choices)
  return vim.tbl_filter(function(choice)
    return vim.startswith(choice, lead)
  end, choices)
end

return M
