#!/bin/bash
# Installs the editors if need be, builds the extension, and runs the suites in the real editors,
# each in a process of its own. Called by `make test-editors`.
#
# SURVEYOR_COMMAND names the server under test (default: .venv's, else `surveyor` on the PATH).
# SURVEYOR_E2E_NVIM is another Neovim than the one that is installed.
# SURVEYOR_E2E_PICTURES is the folder for screenshots (default: `pictures` beside the editors).
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ -z "${SURVEYOR_COMMAND:-}" ] && [ -x .venv/bin/surveyor ]; then
  export SURVEYOR_COMMAND=$PWD/.venv/bin/surveyor
fi
export EDITORS_PREFIX=${EDITORS_PREFIX:-$PWD/.cache/editors}
tests/e2e/install-editors.sh "$EDITORS_PREFIX"
# What the main views look like: docs/images are chosen from these.
export SURVEYOR_E2E_PICTURES=${SURVEYOR_E2E_PICTURES:-$EDITORS_PREFIX/pictures}
mkdir -p "$SURVEYOR_E2E_PICTURES"
PYTEST=("$EDITORS_PREFIX/venv/bin/python" -m pytest -q --confcutdir=tests/e2e --timeout=600 --durations=10)
RUNS=3
again=$EDITORS_PREFIX/run-again
: >"$again"

# A busy machine may hold an editor up for longer than a test waits: what failed is run again, up
# to $RUNS times in all, each run is shown, and what had to be run again is named at the end.
suite() {
  local run cache
  cache=$EDITORS_PREFIX/pytest-$(basename "$1")
  rm -rf "$cache"
  for ((run = 1; run <= RUNS; run++)); do
    if ((run > 1)); then
      echo "== run $run of $RUNS: what failed in $1"
      set -- "$@" --last-failed
    fi
    "${PYTEST[@]}" -o "cache_dir=$cache" "$@" && return
    cat "$cache/v/cache/lastfailed" >>"$again" 2>/dev/null || echo "$1" >>"$again"
  done
  return 1
}

vscode() {
  if [ -e "$EDITORS_PREFIX/left-out" ]; then
    echo "LEFT OUT: $(cat "$EDITORS_PREFIX/left-out")"
    return
  fi
  export PATH="$EDITORS_PREFIX/node24:$PATH"
  (cd clients/vscode && install_packages && npm run --silent check && npm run --silent test &&
    npm run --silent package) && suite tests/e2e/vscode "$@"
}

install_packages() {
  local stamp=node_modules/.installed
  cmp -s package-lock.json "$stamp" && return
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && cp package-lock.json "$stamp"
}

# Side by side: each of them waits for its editor most of the time. What the shorter one says is
# shown when it has ended.
log=$EDITORS_PREFIX/neovim.log
suite tests/e2e/neovim "$@" >"$log" 2>&1 &
neovim=$!
trap 'kill "$neovim" 2>/dev/null || true' EXIT
failed=0
vscode "$@" || failed=1
wait "$neovim" || failed=1
cat "$log"
if [ -s "$again" ]; then
  echo "== RUN AGAIN, because they failed:"
  cat "$again"
fi
exit $failed
