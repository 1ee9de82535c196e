#!/bin/sh
PYTHONPATH=/usr/lib/surveyor exec python3 -m surveyor "$@"
