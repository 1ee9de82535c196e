#!/usr/bin/env bash
# Index a folder, ask it what it can answer, and say how to go on. Usage: try.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
surveyor="$here/.venv/bin/surveyor"
# As they are typed into a shell.
clone=$(printf '%q' "$here") command=$(printf '%q' "$surveyor")
wait_s=120 # a tree of 30,000 files takes minutes; what is indexed by then answers
named=$1
# Of FOLDER=~/code only some shells make a path.
case $named in \~ | \~/*) named=$HOME${named#\~} ;; esac
if [ ! -d "$named" ]; then
  what="There is no folder $named."
  [ ! -e "$named" ] || what="$named is a file, and a folder is needed."
  echo "$what Try: make try FOLDER=/path/to/a/project" >&2
  exit 1
fi
folder=$(cd "$named" && pwd)
shown=$(printf '%q' "$folder")

echo "Indexing $folder (at most $wait_s s of waiting; nothing leaves this machine) …"
"$surveyor" index "$folder" --at-most "$wait_s" || [ $? = 124 ]
echo "Looking for what it can be asked …"
looked=0 state="indexed and followed from now on"
while read -r what with; do
  looked=1
  case $what in
    nothing)
      printf '\n%s\n' "$with"
      state="followed from now on: what comes to be there is indexed"
      ;;
    say) printf '\n%s\n' "$with" ;;
    search)
      count=${with%% *} with=${with#* }
      printf '\n== surveyor search "%s" --limit %s\n' "$with" "$count"
      "$surveyor" search "$with" --project "$folder" --limit "$count" || true
      ;;
    *)
      printf '\n== surveyor %s %s\n' "$what" "$with"
      "$surveyor" "$what" "$with" --project "$folder" --limit 5 || true
      ;;
  esac
done < <("$here/.venv/bin/python" "$here/scripts/first_look.py" "$folder")
if [ "$looked" = 0 ]; then
  printf '\nIts comments, headings, commits and names gave no question to show: ask one of yours, as below.\n'
fi

cat <<EOF

$folder is $state. Next:

  Search more      $command search "what you look for" --project $shown
  VS Code          (cd $clone/clients/vscode && npm ci && npm run package)
                   code --install-extension $clone/clients/vscode/surveyor.vsix
                   then "Surveyor: Set Path of Server…" with  $surveyor
                   or "Surveyor: Install Server…" from the folder  $here
  Neovim 0.11+     mkdir -p ~/.local/share/nvim/site/pack/surveyor/start
                   ln -s $clone/clients/neovim ~/.local/share/nvim/site/pack/surveyor/start/surveyor
                   and in ~/.config/nvim/init.lua:
                   require('surveyor').setup({ server = '$surveyor' })
                   vim.lsp.enable('surveyor')
  Other editors    start \`$command lsp\` as a language server over stdio (docs/other-editors.md)
  Agents           $command setup claude-code    (cursor, vscode, zed, codex …: docs/mcp.md)
                   or any MCP client: $command mcp --project $shown
  See and stop     $command status · $command engine stop
EOF
