#!/usr/bin/env bash
# Orders on the command line.
set -euo pipefail

source "$(dirname "$0")/lib.sh"
. ./colours.sh

MAX_LINES=100
readonly CURRENCY="EUR"
export LOG_LEVEL=info

# Adds up the lines of a file.
total() {
  local sum=0
  while read -r price; do
    sum=$((sum + price))
  done < "$1"
  echo "$sum"
}

function pay {
  withdraw "$1" "$(total "$2")"
}

function report() {
  log "paid $(total "$1")"
}

main() {
  pay "$@"
  report "$2" | tee report.txt
}

main "$@"
