--- Owns the filter language of searches: lang:, path:, kind:, type:, in:, mode:.
---
--- The same rules as the VS Code extension's query.ts; query-cases.json tests both.
local M = {}

local NAMES = {
  lang = 'languages',
  language = 'languages',
  path = 'paths',
  kind = 'kinds',
  type = 'types',
  ['in'] = 'in',
  mode = 'mode',
}

local ALLOWED = {
  ['in'] = { 'code', 'rules', 'libraries', 'notes', 'history' },
  types = { 'code', 'doc', 'test', 'config', 'note', 'artifact' },
  mode = { 'hybrid', 'semantic', 'keyword', 'literal', 'regex', 'pattern' },
}

M.filters = { 'lang:', 'path:', 'kind:', 'type:', 'in:', 'mode:' }

--- Words separated by white space, where a double quote keeps white space until the next one.
---@param text string
---@return string[]
function M.words(text)
  local found = {}
  local at = 1
  while true do
    at = text:find('%S', at)
    if not at then
      return found
    end
    local from = at
    while at <= #text and not text:sub(at, at):match('%s') do
      local close = text:sub(at, at) == '"' and text:find('"', at + 1, true)
      at = (close or at) + 1
    end
    table.insert(found, text:sub(from, at - 1))
  end
end

--- Modes in which white space counts.
local EXACT = { literal = true, regex = true, pattern = true }

--- What is left of a text without the words that are filters, as it was typed.
---@param text string
---@param filters string[] in their order
---@return string
local function without(text, filters)
  local at = 1
  for _, word in ipairs(filters) do
    local from, to = text:find(word, at, true)
    local before, after = text:sub(1, from - 1), text:sub(to + 1):gsub('^%s', '', 1)
    text, at = before .. after, from
  end
  return vim.trim(text)
end

---@param text string
---@return table params query text and filters
---@return string[] problems what no filter knows, one sentence each
function M.parse(text)
  local params, problems, rest, filters = {}, {}, {}, {}
  for _, word in ipairs(M.words(text)) do
    local minus, name, value = word:match('^(%-?)([a-z]+):(.*)$')
    local field = name and NAMES[name]
    if not field or (minus == '-' and field ~= 'paths') then
      table.insert(rest, word)
    else
      table.insert(filters, word)
      for part in vim.gsplit(value, ',', { plain = true }) do
        part = vim.trim((part:gsub('"', '')))
        if part ~= '' then
          local allowed = ALLOWED[field]
          if allowed and not vim.list_contains(allowed, part) then
            table.insert(
              problems,
              ('%s:%s is unknown; it takes %s'):format(name, part, table.concat(allowed, ', '))
            )
          elseif field == 'mode' then
            params.mode = part
          else
            params[field] = params[field] or {}
            table.insert(params[field], (minus == '-' and '!' or '') .. part)
          end
        end
      end
    end
  end
  params.query = EXACT[params.mode] and without(text, filters) or table.concat(rest, ' ')
  return params, problems
end

return M
