#!/bin/sh
# Runs a script of the checkout with the pinned Deno: sh dev/scripts/run.sh dev/local/commands/start.ts [options]
# or one of Deno's own commands:                      sh dev/scripts/run.sh fmt [options]
# Every npm script enters here. `exec` keeps one process, so that a signal sent to npm reaches the script itself.
set -eu
cd "$(dirname "$0")/../.."

export DO_NOT_TRACK=1 SUPABASE_TELEMETRY_DISABLED=1 DENO_NO_UPDATE_CHECK=1
# The Supabase CLI runs on Bun and ends within seconds: optimizing its code would cost more than it saves.
export BUN_JSC_useDFGJIT=0

if [ ! -f node_modules/.package-lock.json ] ||
  [ -n "$(find package-lock.json -newer node_modules/.package-lock.json)" ]; then
  echo "Installing the pinned packages (npm ci), which takes a minute the first time"
  npm ci --no-audit --no-fund --loglevel=error </dev/null
fi

case $1 in
  *.ts) set -- run --quiet --allow-all "$@" ;;
esac

# The package's install script links the binary to deno/deno; where npm does not run install scripts, the platform's own
# package has it all the same.
for deno in node_modules/deno/deno node_modules/@deno/*/deno; do
  if [ -x "$deno" ]; then
    exec "$deno" "$@"
  fi
done
echo "There is no Deno binary in node_modules for this platform ($(uname -sm))." >&2
exit 1
