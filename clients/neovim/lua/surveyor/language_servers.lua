--- Owns what one does with a language server that Surveyor runs: reading its log, starting it anew.
local M = {}

local function say(message)
  vim.notify(message, vim.log.levels.INFO, { title = 'Surveyor' })
end

---@param name string
---@param text string
local function show_log(name, text)
  vim.cmd('botright new')
  local bufnr = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(text, '\n'))
  vim.bo[bufnr].buftype, vim.bo[bufnr].bufhidden, vim.bo[bufnr].swapfile = 'nofile', 'wipe', false
  vim.bo[bufnr].filetype, vim.bo[bufnr].modifiable = 'log', false
  vim.api.nvim_buf_set_name(bufnr, ('surveyor://log/%s/%d'):format(name, bufnr))
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = bufnr, nowait = true, desc = 'Surveyor: close' })
  vim.cmd('normal! G')
end

--- Asks which server is meant and what about it.
---@param upstreams table[] of `surveyor/status`
---@param request fun(method: string, params: table, done: fun(answer: table))
function M.choose(upstreams, request)
  local running = vim.tbl_filter(function(upstream)
    return upstream.name ~= ''
  end, upstreams)
  if #running == 0 then
    say("No language server of Surveyor's was started yet: open a file")
    return
  end
  local actions = {}
  for _, upstream in ipairs(running) do
    for _, action in ipairs({ 'log', 'restart' }) do
      table.insert(actions, { upstream = upstream, action = action })
    end
  end
  vim.ui.select(actions, {
    prompt = 'Language servers',
    format_item = function(each)
      local state = each.upstream.ready and 'ready' or each.upstream.state
      return ('%s of %s (%s, %s)'):format(each.action, each.upstream.name, each.upstream.language, state)
    end,
  }, function(each)
    if not each then
      return
    end
    local params = { language = each.upstream.language, root = each.upstream.root }
    if each.action == 'log' then
      request('surveyor/serverLog', params, function(answer)
        show_log(answer.name, answer.text)
      end)
    else
      request('surveyor/restartServer', params, function(answer)
        say(answer.message)
      end)
    end
  end)
end

return M
