#!/usr/bin/env bash
# Index a folder, ask it what it can answer, and say how to go on. Usage: try.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
surveyor="$here/.venv/bin/surveyor"
if [ ! -d "$1" ]; then
  echo "There is no folder $1. Try: make try FOLDER=/path/to/a/project" >&2
  exit 1
fi
folder=$(cd "$1" && pwd)
shown=$(printf '%q' "$folder")

"$surveyor" index "$folder"
mapfile -t asked < <("$here/.venv/bin/python" "$here/scripts/questions.py" "$folder" || true)
name=""
if [ "${#asked[@]}" -gt 0 ]; then
  name=${asked[-1]}
  unset 'asked[-1]'
fi
for query in "${asked[@]}"; do
  printf '\n== surveyor search "%s"\n' "$query"
  "$surveyor" search "$query" --project "$folder" --limit 3 || true
done
if [ "${#asked[@]}" -eq 0 ] && [ -z "$name" ]; then
  printf '\nIts comments, commits and names gave no question to show: ask one of yours, as below.\n'
fi
if [ -n "$name" ]; then
  printf '\n== surveyor refs %s\n' "$name"
  "$surveyor" refs "$name" --project "$folder" --limit 5 || true
fi

cat <<EOF

$folder is indexed and followed from now on. Next:

  Search more      $surveyor search "what you look for" --project $shown
  VS Code          (cd $here/clients/vscode && npm ci && npm run package)
                   code --install-extension $here/clients/vscode/surveyor.vsix
                   then "Surveyor: Set Path of Server…" with  $surveyor
                   or "Surveyor: Install Server…" from the folder  $here
  Neovim 0.11+     mkdir -p ~/.local/share/nvim/site/pack/surveyor/start
                   ln -s $here/clients/neovim ~/.local/share/nvim/site/pack/surveyor/start/surveyor
                   and in ~/.config/nvim/init.lua:
                   require('surveyor').setup({ server = '$surveyor' })
                   vim.lsp.enable('surveyor')
  Other editors    start \`$surveyor lsp\` as a language server over stdio (docs/other-editors.md)
  Agents           $surveyor setup claude-code    (cursor, vscode, zed, codex …: docs/mcp.md)
                   or any MCP client: $surveyor mcp --project $shown
  See and stop     $surveyor status · $surveyor engine stop
EOF
