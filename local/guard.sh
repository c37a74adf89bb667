#!/bin/sh
# Ends the processes of the launcher when the launcher is killed and cannot end them itself.
# usage: guard.sh <file to remove>   with "start <pid>" and "end <pid>" lines on stdin, which the launcher holds open
trap '' HUP INT TERM

running=
while read -r change pid; do
  case $change in
    start) running="$running $pid" ;;
    end)
      left=
      for other in $running; do
        [ "$other" = "$pid" ] || left="$left $other"
      done
      running=$left
      ;;
  esac
done

[ -n "$running" ] || exit 0
rm -f "$1"

# SIGINT stops Postgres without waiting for its clients. The other parts stop on SIGTERM.
for pid in $running; do
  kill -INT "$pid" 2>/dev/null
  kill -TERM "$pid" 2>/dev/null
done
for _ in 1 2 3 4 5; do
  left=
  for pid in $running; do
    kill -0 "$pid" 2>/dev/null && left="$left $pid"
  done
  [ -n "$left" ] || exit 0
  sleep 1
done
for pid in $left; do
  kill -KILL "$pid" 2>/dev/null
done
