#!/bin/sh
# Tries the two commands of the README where nothing is installed: a Debian 12 with python3 and make, and no git.
#   tools/bare_debian.sh FOLDER      (as root, with debootstrap; about 2 GB in FOLDER, which must be new)
# How packages are reached (sources, resolver, certificates, pip's settings) is taken from this machine.
# What it prints last stands in docs/evidence/bare-debian.txt.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
folder=$1
if [ "${2:-}" != mounted ]; then
    mkdir "$folder"
    exec unshare --mount "$0" "$folder" mounted  # The mounts below go when this ends, however it ends.
fi
root=$folder/root
log=$folder/log
summary=$folder/summary

inside() {
    env -i HOME=/root LANG=C.UTF-8 TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin CI="${CI:-}" \
        PIP_CERT=/etc/ssl/registries.crt PIP_DEFAULT_TIMEOUT=180 chroot "$root" sh -c "cd /root/adjudge && $1"
}

say() {
    echo "$*" | tee -a "$summary"
}

# Its process: the machine may serve others.
served_in_root() {
    for process in /proc/[0-9]*; do
        if [ "$(readlink "$process/root")" = "$root" ] && [ "$(cat "$process/comm")" = adjudge ]; then
            basename "$process"
        fi
    done
}

seconds_until_served() {
    inside 'exec make run PORT=8765' >>"$log" 2>&1 &
    "$here/.venv/bin/python" - <<'PYTHON'
import time, urllib.request

start = time.monotonic()
while True:
    try:
        urllib.request.urlopen("http://127.0.0.1:8765/readyz", timeout=5)
        break
    except OSError:
        if time.monotonic() - start > 600:
            raise
        time.sleep(0.02)
print(f"{time.monotonic() - start:.1f} s")
PYTHON
    kill -TERM "$(served_in_root)"
    wait
}

debootstrap --variant=minbase bookworm "$root" >"$log" 2>&1
cp /etc/resolv.conf "$root/etc/"
echo '127.0.0.1 localhost' >"$root/etc/hosts"  # Every installer and image writes it; debootstrap does not.
mkdir -p "$root/etc/ssl"
cp -L "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$root/etc/ssl/registries.crt"
rm -f "$root/etc/apt/sources.list"
for settings in /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d /etc/pip.conf; do
    if [ -e "$settings" ]; then
        rm -rf "${root:?}$settings" && cp -r "$settings" "$root$settings"
    fi
done
[ ! -e "$root/etc/pip.conf" ] || sed -i '/^cert *=/d' "$root/etc/pip.conf"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mkdir -p "$root/root/adjudge"
git -C "$here" archive HEAD | tar -x -C "$root/root/adjudge"
[ ! -d "$here/../shared" ] || cp -r "$here/../shared" "$root/root/shared"
inside 'apt-get update && apt-get install --yes --no-install-recommends python3 make' >>"$log" 2>&1

say "A bare Debian $(cat "$root/etc/debian_version"): $(inside 'python3 --version'), $(inside 'make --version | head -n 1')"
say "Commit $(git -C "$here" rev-parse --short HEAD), $(date -u +%F), $(nproc) cores"
for program in git gcc pip uv postgres chromium node; do
    ! inside "command -v $program" >/dev/null 2>&1 || say "It has $program."
done
say "make run, the first time: serves after $(seconds_until_served)"
say "make run, the second time: serves after $(seconds_until_served)"
say ".ci/run:"
start=$(date +%s)
CI=true inside 'bash .ci/run' >>"$log" 2>&1 \
    && answer=0 || answer=$?
grep -E '^=+ .*(passed|failed|error).* =+$' "$log" | tee -a "$summary"
say "exit status $answer after $(($(date +%s) - start)) s"
say "Load average at the end: $(cut -d ' ' -f 1-3 /proc/loadavg)"
exit "$answer"
