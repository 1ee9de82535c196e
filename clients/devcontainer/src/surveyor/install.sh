#!/bin/sh
# Run as root while a dev container is built: options come as variables in capitals, the user of the
# container as _REMOTE_USER (containers.dev, "Dev container features").
set -eu

VERSION="${VERSION:-latest}"
MCPHTTP="${MCPHTTP:-false}"
user="${_REMOTE_USER:-root}"
prefix="${SURVEYOR_PREFIX:-/opt/surveyor}"
data="${SURVEYOR_DATA_DIR:-/var/lib/surveyor}"
links="${SURVEYOR_LINKS:-/usr/local/bin}"

fits() {
    command -v "$1" > /dev/null && "$1" -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null
}

python=""
for candidate in python3 python3.14 python3.13 python3.12 python3.11 /usr/bin/python3; do
    if fits "$candidate"; then
        python="$candidate"
        break
    fi
done
if [ -z "$python" ] && command -v apt-get > /dev/null; then
    apt-get update
    apt-get install --yes --no-install-recommends python3 python3-venv git
    if fits /usr/bin/python3; then python=/usr/bin/python3; fi
fi
if [ -z "$python" ]; then
    echo "surveyor: Python 3.11 or later with venv is needed; add the feature for Python before this one." >&2
    exit 1
fi

case "$VERSION" in
    latest) wanted="surveyor" ;;
    /*) wanted="$VERSION" ;;
    *) wanted="surveyor==$VERSION" ;;
esac
"$python" -m venv "$prefix"
"$prefix/bin/pip" install --no-cache-dir "$wanted"
ln -sf "$prefix/bin/surveyor" "$links/surveyor"

mkdir -p "$data"
chmod 0700 "$data"
if [ "$MCPHTTP" = "true" ]; then
    SURVEYOR_DATA_DIR="$data" "$prefix/bin/surveyor" config set mcp.http true
fi
chown -R "$user" "$data"
"$prefix/bin/surveyor" --version
