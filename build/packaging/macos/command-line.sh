#!/bin/sh
# The command line of Spandeck. It needs Node 22.19 or later as "node" in PATH.
script=$0
while [ -L "$script" ]; do
  target=$(readlink "$script")
  case $target in /*) script=$target ;; *) script=$(dirname "$script")/$target ;; esac
done
command -v node >/dev/null || { echo 'Expected Node 22.19 or later as "node" in PATH, found none. See https://nodejs.org' >&2; exit 1; }
exec node "$(dirname "$script")/../app.asar.unpacked/dist/start-cli.cjs" "$@"
