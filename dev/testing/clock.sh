#!/bin/sh
# Runs a command at another time, which goes on from there: sh dev/testing/clock.sh '2027-01-31 23:50 UTC' npm test -- pgtap
# It needs Linux and a C compiler. Postgres, Deno and Node see the time; what they wait for takes as long as ever. PostgREST
# is linked statically and sees the true time, so that it refuses every login's token as issued in the future.
set -eu
seconds=$(($(date --date "$1" +%s) - $(date +%s)))
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cc -O2 -fPIC -shared -o "$folder/clock.so" "$(dirname "$0")/clock.c"
LD_PRELOAD="$folder/clock.so" CLOCK_OFFSET="$seconds" "$@"
