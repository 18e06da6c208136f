#!/usr/bin/env bash
# A Ceph RGW for the tests: a monitor, an OSD that keeps objects in memory, and radosgw, all on 127.0.0.1.
#
#   ceph-rgw.sh DIR PORT [MONITOR_PORT]      access key "test", secret "testsecret"
#
# A second user, "customer" with the secret "customersecret", has buckets of its own.
#
# Prints "ready" once S3 responds and runs until its standard input ends or it gets a signal. Then it kills the processes
# it started and deletes DIR. Since it ends with its standard input, it cannot outlive the process that started it.
# If Ceph fails to start, it prints the reason in one line, then the ends of Ceph's logs, and exits with 1.
set -eu

dir=$1
port=$2
monitor_port=${3:-$((port + 1))}
started=()

mkdir -p "$dir"
if [ -n "$(ls -A "$dir")" ]; then
  echo "$dir is not empty and would be deleted at the end" >&2
  exit 1
fi

clean_up() {
  local pid
  for pid in "${started[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
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

# fail WHAT STEP: prints WHAT and the last line that STEP printed.
fail() {
  echo "$1: $(tail -n 1 "$dir/log/$2.out" 2>/dev/null)" >&2
  tail -n 5 "$dir"/log/*.out "$dir"/log/*.log >&2 2>/dev/null || true
  exit 1
}

mkdir "$dir/mon" "$dir/osd" "$dir/rgw" "$dir/run" "$dir/log"
cluster=$(cat /proc/sys/kernel/random/uuid)
osd=$(cat /proc/sys/kernel/random/uuid)

# The two "on start" settings are off because an OSD that announces its location itself sometimes does so before it knows
# the cluster's id, and exits with "wrong fsid". The "crush add" command below announces it instead.
# The two paxos settings reduce the start from 11 seconds to 1: radosgw creates a dozen pools one after the other, and
# the monitor would wait a second for each.
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
rgw crypt require ssl = false
CONF
conf=(-c "$dir/ceph.conf")

monmaptool --create --addv a "[v1:127.0.0.1:$monitor_port]" --fsid "$cluster" "$dir/monmap" >"$dir/log/monmap.out" 2>&1 ||
  fail "monmaptool failed" monmap
ceph-mon "${conf[@]}" -i a --mkfs --monmap "$dir/monmap" >"$dir/log/mon-mkfs.out" 2>&1 || fail "ceph-mon --mkfs failed" mon-mkfs
start mon ceph-mon "${conf[@]}" -i a -f
printf '%s\n' "osd new $osd 0" "osd crush add osd.0 1 root=default host=test" |
  timeout 60 ceph "${conf[@]}" >"$dir/log/osd-new.out" 2>&1 || fail "the monitor did not add the OSD" osd-new
ceph-osd "${conf[@]}" -i 0 --mkfs --osd-uuid "$osd" >"$dir/log/osd-mkfs.out" 2>&1 || fail "ceph-osd --mkfs failed" osd-mkfs
start osd ceph-osd "${conf[@]}" -i 0 -f
start rgw radosgw "${conf[@]}" -n client.rgw.a -f
rgw=$!

deadline=$((SECONDS + 120))
until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
  kill -0 "$rgw" 2>/dev/null || fail "radosgw exited" rgw
  [ "$SECONDS" -lt "$deadline" ] || fail "radosgw does not listen" rgw
  sleep 0.05
done
timeout 60 radosgw-admin "${conf[@]}" -n client.rgw.a user create --uid=test --display-name=test \
  --access-key=test --secret-key=testsecret >"$dir/log/user.out" 2>&1 || fail "radosgw-admin could not create the user" user

timeout 60 radosgw-admin "${conf[@]}" -n client.rgw.a user create --uid=customer --display-name=customer \
  --access-key=customer --secret-key=customersecret >"$dir/log/customer.out" 2>&1 ||
  fail "radosgw-admin could not create the customer" customer

echo ready
while read -r _; do :; done
