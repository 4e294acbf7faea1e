#!/bin/sh
# The command line of Spandeck, run by the Node of the package. The window is opened by ../spandeck.
here=$(dirname "$(readlink -f "$0")")
app=$here/../resources/app.asar.unpacked
for node in "$app"/node_modules/node-linux-*/bin/node; do
  # Without the second option, a short command spends a tenth of its time on growing the memory for new objects.
  exec "$node" --disable-warning=ExperimentalWarning --min-semi-space-size=16 "$app/dist/cli.js" "$@"
done
