-- Defines :Surveyor and the <Plug> mappings; everything else loads when it is used.
if vim.g.loaded_surveyor then
  return
end
vim.g.loaded_surveyor = true

if vim.fn.has('nvim-0.11') == 0 then
  local version = vim.fn.matchstr(vim.fn.execute('version'), 'NVIM v\\zs\\S*')
  vim.api.nvim_echo({ { ('Surveyor needs Neovim 0.11 or newer; this is %s.'):format(version), 'ErrorMsg' } }, true, {})
  return
end

vim.api.nvim_create_user_command('Surveyor', function(args)
  require('surveyor.command').run(args)
end, {
  nargs = '*',
  bang = true,
  range = true,
  desc = 'Search by meaning, impact, status and more (see :help surveyor)',
  complete = function(lead, line)
    return require('surveyor.command').complete(lead, line)
  end,
})

vim.api.nvim_set_hl(0, 'SurveyorPreviewRange', { link = 'Visual', default = true })

local maps = {
  { 'n', 'search', '<Cmd>Surveyor search<CR>', 'Search by meaning' },
  { 'n', 'similar', '<Cmd>Surveyor similar<CR>', 'Similar code' },
  { 'x', 'similar', ':Surveyor similar<CR>', 'Similar code' },
  { 'n', 'impact', '<Cmd>Surveyor impact<CR>', 'Impact of the symbol' },
  { 'n', 'remember', '<Cmd>Surveyor remember<CR>', 'Remember a rule' },
  { 'n', 'rules', '<Cmd>Surveyor rules<CR>', 'Rules' },
  { 'n', 'status', '<Cmd>Surveyor status<CR>', 'Status' },
  { 'n', 'reindex', '<Cmd>Surveyor reindex<CR>', 'Reindex' },
  { 'n', 'preview', "<Cmd>lua require('surveyor.preview').entry()<CR>", 'Preview the entry under the cursor' },
}
for _, map in ipairs(maps) do
  vim.keymap.set(map[1], ('<Plug>(surveyor-%s)'):format(map[2]), map[3], { silent = true, desc = 'Surveyor: ' .. map[4] })
end
