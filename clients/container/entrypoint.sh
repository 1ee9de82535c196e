#!/bin/sh
# Serve in the foreground, and index $SURVEYOR_WORKSPACE as soon as the engine answers. With
# arguments: that command of Surveyor's instead.
set -eu
if [ "$#" -gt 0 ]; then
    exec surveyor "$@"
fi
if [ -d "$SURVEYOR_WORKSPACE" ]; then
    (
        until surveyor engine status > /dev/null 2>&1; do sleep 0.2; done
        surveyor index "$SURVEYOR_WORKSPACE"
    ) &
else
    echo "$SURVEYOR_WORKSPACE is not there: mount a folder of source at it." >&2
fi
exec surveyor engine run
