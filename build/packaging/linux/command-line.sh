#!/bin/sh
# The command line of Spandeck, run by the Node of the package. The window is opened by ../spandeck.
here=$(dirname "$(readlink -f "$0")")
app=$here/../resources/app.asar.unpacked
for node in "$app"/node_modules/node-linux-*/bin/node; do
  exec "$node" --disable-warning=ExperimentalWarning "$app/dist/cli.js" "$@"
done
