#!/bin/sh
# Runs a command in a session of its own: a home folder, a D-Bus and an unlocked keyring, all gone afterwards.
#
#   test/helpers/run-with-keyring.sh COMMAND [ARGUMENT…]
if [ -z "$SPANDECK_TEST_HOME" ]; then
  missing=
  for program in dbus-run-session dbus-send gnome-keyring-daemon; do
    command -v "$program" >/dev/null || missing="$missing $program"
  done
  if [ -n "$missing" ]; then
    echo "The tests run in a session with a keyring of their own. Not installed:$missing (Debian's packages dbus and gnome-keyring)." >&2
    exit 1
  fi
  SPANDECK_TEST_HOME=$(mktemp -d "${TMPDIR:-/tmp}/spandeck-home-XXXXXX") || exit 1
  export SPANDECK_TEST_HOME
  # Chromium may still write there while it closes: a second try a moment later takes what the first one left.
  trap 'rm -rf "$SPANDECK_TEST_HOME" 2>/dev/null || { sleep 1; rm -rf "$SPANDECK_TEST_HOME"; }' EXIT
  mkdir -m 700 "$SPANDECK_TEST_HOME/run"
  unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME DBUS_SESSION_BUS_ADDRESS
  # The bus complains of its own limits in containers; the command's errors take the other way, 3.
  HOME=$SPANDECK_TEST_HOME XDG_RUNTIME_DIR=$SPANDECK_TEST_HOME/run dbus-run-session -- "$0" "$@" 3>&2 2>/dev/null
  exit $?
fi
exec 2>&3 3>&-
# An empty password: the keyring is made on first use and asks nobody.
printf '\n' | gnome-keyring-daemon --unlock --components=secrets --daemonize >/dev/null 2>&1 || {
  echo 'The test keyring could not be started: gnome-keyring-daemon --unlock failed.' >&2
  exit 1
}
"$@"
code=$?
# A daemon that had no time to notice its bus would outlive it.
daemon=$(dbus-send --session --print-reply=literal --dest=org.freedesktop.DBus / \
  org.freedesktop.DBus.GetConnectionUnixProcessID string:org.freedesktop.secrets 2>/dev/null | tr -dc '0-9 ')
# The answer reads "uint32 PID": what is left of it is "32 PID".
kill "${daemon##* }" 2>/dev/null
exit $code
