#!/usr/bin/env bash
# A Ceph RGW for the tests: a monitor, an OSD that keeps its objects in memory, and radosgw. On 127.0.0.1 only.
#
#   ceph-rgw.sh DIR PORT [MONITOR_PORT]      access key "test", secret "testsecret"
#
# Prints "ready" once S3 answers and runs until its standard input ends or a signal comes. Then it ends the
# processes that it started and removes DIR. As it goes with its standard input, it cannot outlive whoever started
# it, however that one came to its end.
set -eu

dir=$1
port=$2
monitor_port=${3:-$((port + 1))}
started=()

mkdir -p "$dir"
if [ -n "$(ls -A "$dir")" ]; then
  echo "ceph-rgw: $dir is not empty, and would be removed at the end" >&2
  exit 1
fi

clean_up() {
  local pid
  for pid in "${started[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done # Nothing in there is worth a farewell.
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

start() {
  local name=$1
  shift
  "$@" >"$dir/log/$name.out" 2>&1 &
  started+=($!)
}

# Ceph fails in many ways that only its logs tell.
fail() {
  echo "ceph-rgw: $1" >&2
  tail -n 5 "$dir"/log/*.out "$dir"/log/*.log >&2 || true
  exit 1
}

mkdir "$dir/mon" "$dir/osd" "$dir/rgw" "$dir/run" "$dir/log"
cluster=$(cat /proc/sys/kernel/random/uuid)
osd=$(cat /proc/sys/kernel/random/uuid)

# The two "on start" settings: an OSD that announces its place itself at times does so before it has learnt the
# cluster's id from the monitor, and ends with "wrong fsid". So we tell its place.
# The two paxos settings bring the start from 11 seconds down to 1: radosgw makes a dozen pools, one after the
# other, and the monitor would gather each for a second before it decides.
cat >"$dir/ceph.conf" <<CONF
[global]
fsid = $cluster
mon host = v1:127.0.0.1:$monitor_port
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
ms bind msgr2 = false
auth cluster required = none
auth service required = none
auth client required = none
run dir = $dir/run
crash dir = $dir/run
admin socket =
log file = $dir/log/\$name.log
mon cluster log file = $dir/log/cluster.log
setuser match path =
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd crush chooseleaf type = 0
mon allow pool size one = true
mon warn on pool no redundancy = false
mon max pg per osd = 1000
paxos propose interval = 0.02
paxos min wait = 0.01
[mon]
mon data = $dir/mon
mon initial members = a
mon data avail crit = 1
[osd]
osd data = $dir/osd
osd objectstore = memstore
osd class update on start = false
osd crush update on start = false
memstore device bytes = 1073741824
osd class load list = *
osd class default list = *
[client.rgw.a]
rgw data = $dir/rgw
rgw frontends = beast endpoint=127.0.0.1:$port
rgw enable ops log = false
rgw enable usage log = false
CONF
conf=(-c "$dir/ceph.conf")

monmaptool --create --addv a "[v1:127.0.0.1:$monitor_port]" --fsid "$cluster" "$dir/monmap" >"$dir/log/monmap.out" 2>&1 ||
  fail "no monitor map"
ceph-mon "${conf[@]}" -i a --mkfs --monmap "$dir/monmap" >"$dir/log/mon-mkfs.out" 2>&1 || fail "no monitor store"
start mon ceph-mon "${conf[@]}" -i a -f
printf '%s\n' "osd new $osd 0" "osd crush add osd.0 1 root=default host=test" |
  timeout 30 ceph "${conf[@]}" >"$dir/log/osd-new.out" 2>&1 || fail "the monitor does not answer"
ceph-osd "${conf[@]}" -i 0 --mkfs --osd-uuid "$osd" >"$dir/log/osd-mkfs.out" 2>&1 || fail "no OSD store"
start osd ceph-osd "${conf[@]}" -i 0 -f
start rgw radosgw "${conf[@]}" -n client.rgw.a -f
rgw=$!

give_up=$((SECONDS + 60))
until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
  kill -0 "$rgw" 2>/dev/null || fail "radosgw ended"
  [ "$SECONDS" -lt "$give_up" ] || fail "radosgw does not answer"
  sleep 0.05
done
timeout 30 radosgw-admin "${conf[@]}" -n client.rgw.a user create --uid=test --display-name=test \
  --access-key=test --secret-key=testsecret >"$dir/log/user.out" 2>&1 || fail "no user"

echo ready
while read -r _; do :; done
