#!/bin/sh
# Installs the deb in a separate root, starts it as the menu does, runs the command line, and removes it.
# Called in a separate mount namespace:  check-deb.sh WORK DEB CHECKOUT [ARGUMENT-OF-THE-WINDOW…]
# Afterwards, WORK/upper contains everything that installing, running and removing wrote.
set -eu
work=$1 deb=$2 checkout=$3
shift 3
root=$work/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" "$root"
mount --bind /proc "$root/proc"
mount --rbind /dev "$root/dev"
# Hides this checkout and the person's own folders, which must not be used.
mount -t tmpfs none "$root/tmp"
mkdir -p "$root$checkout"
mount -t tmpfs none "$root$checkout"
mkdir "$root/tmp/deb" && cp "$deb" "$root/tmp/deb/spandeck.deb"
export HOME=/root LC_ALL=C.UTF-8
unset XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS 2>/dev/null || true
inside() { chroot "$root" "$@"; }
echo "== install"
inside dpkg -i /tmp/deb/spandeck.deb
echo "== desktop entry"
inside sh -c 'command -v desktop-file-validate >/dev/null && desktop-file-validate /usr/share/applications/spandeck.desktop || true'
inside sh -c 'command -v appstreamcli >/dev/null && appstreamcli validate --no-net /usr/share/metainfo/invalid.spandeck.metainfo.xml || true'
echo "== menu entry"
# The command of the menu entry without its field codes, as a desktop runs it without a file.
command=$(sed -n 's/^Exec=//p' "$root/usr/share/applications/spandeck.desktop" | sed 's/ %[a-zA-Z]//g')
inside sh -c "cd / && $command \"\$@\"" menu --smoke "$@"
echo "== command line"
inside sh -c 'cd / && spandeck --help' | head -n 3
inside sh -c 'cd / && spandeck --version'
inside sh -c 'cd / && spandeck settings list' | head -n 2
echo "== remove"
inside dpkg --purge spandeck
inside sh -c '! command -v spandeck'
echo "== removed"
