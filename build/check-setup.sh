#!/bin/sh
# Sets up and starts a checkout in a separate root, as on another computer: a first time, again without a network, and
# without a display. Called in a separate mount namespace by check-setup.ts, which fills WORK:
#   check-setup.sh WORK CHECKOUT USER NETWORK [without-libsecret]
set -eu
work=$1 checkout=$2 user=$3 network=$4 without=${5-}
root=$work/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" "$root"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs none "$root/tmp"
chmod 1777 "$root/tmp"
# Hides this checkout and the computer's own Node, which must not be used.
mkdir -p "$root$checkout" "$root/opt/node" "$root/srv/spandeck" "$root/srv/home" "$root/srv/proxy" "$root/srv/old"
mount -t tmpfs none "$root$checkout"
cp -a "$work/node/." "$root/opt/node/"
tar -x -C "$root/srv/spandeck" -f "$work/source.tar"
cp -r "$work/home/." "$root/srv/home/"
chown -R "$user" "$root/srv/spandeck" "$root/srv/home"
mount --bind "$work/proxy" "$root/srv/proxy"
[ "$without" = "" ] || rm -f "$root"/usr/lib/*/libsecret-1.so*
# Chromium creates its sandbox in a real root only, not in one made by chroot.
cd "$root"
pivot_root . srv/old
umount -l /srv/old
cd /srv/spandeck
cat > /srv/inside <<END
#!/bin/sh
exec setpriv --reuid='$user' --regid='$(id -g "$user")' --clear-groups env -i HOME=/srv/home LC_ALL=C.UTF-8 \\
  PATH=/opt/node/bin:/usr/sbin:/usr/bin:/sbin:/bin \\
  ${NODE_EXTRA_CA_CERTS:+NODE_EXTRA_CA_CERTS='$NODE_EXTRA_CA_CERTS'} "\$@"
END
chmod +x /srv/inside
# Only the loopback device is available.
alone() { unshare --net sh -c 'ip link set lo up && exec "$@"' alone "$@"; }
echo "== first, network: $network"
case $network in
  direct) /srv/inside npm start -- --smoke ;;
  cache) alone /srv/inside npm_config_offline=true npm start -- --smoke ;;
  proxy)
    # A relay inside connects to the proxy outside through a Unix socket.
    alone /srv/inside HTTPS_PROXY=http://127.0.0.1:3128 HTTP_PROXY=http://127.0.0.1:3128 sh -c '
      node /srv/proxy/relay.mjs /srv/proxy/socket 3128 & relay=$!
      npm start -- --smoke && code=0 || code=$?
      kill $relay; exit $code'
    ;;
esac
echo "== again, without a network"
alone /srv/inside npm start -- --smoke
echo "== without a display"
/srv/inside npm start && code=0 || code=$?
echo "== ended with $code"
