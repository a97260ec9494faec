#!/usr/bin/env bash
# A Galera cluster of three nodes for tests, without Docker: the installed MariaDB with Debian's galera-4. The nodes listen only on
# 127.0.0.1, root has no password, and each start begins with an empty cluster.
#
#   galera.sh start | stop | urls | kill N | start-node N
#
#   kill N         kills node N (SIGKILL)
#   start-node N   starts it again; it fetches the missed changes from the others
#
#   ENGINES_DIR    parent folder of all files; default ${TMPDIR:-/tmp}/project-management-engines
#   ENGINES_SYNC   when set, every transaction is synced to the disk
#   GALERA_PORT    the first of the three nodes' ports; default 13301
#   GALERA_GROUP_PORT  the first of the nine ports for traffic between the nodes; default 4561
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

GALERA_PORT=${GALERA_PORT:-13301}
GALERA_GROUP_PORT=${GALERA_GROUP_PORT:-4561}
PROVIDER=/usr/lib/galera/libgalera_smm.so

start() {
  local n running=''
  for n in 1 2 3; do
    if [ -n "$(process_of "$(node "$n")")" ]; then running="$running $n"; fi
  done
  if [ "$running" = ' 1 2 3' ]; then
    for n in 1 2 3; do is_synced "$n" || fail "Node $n runs, but is $(state_of "$n"); stop the cluster first."; done
    say "It runs already."
    return
  fi
  if [ -n "$running" ]; then fail "Only these nodes run:$running. Start the others with start-node, or stop the cluster first."; fi
  require_free_ports 1 2 3
  require_programs
  raise_open_files
  initialize_mariadb

  for n in 1 2 3; do
    rm -rf "$(node "$n")"
    mkdir -p "$(node "$n")"
    make_writable "$(node "$n")/data"
    make_writable "$(node "$n")/run"
    cp -a "$folder/pristine/data/." "$(node "$n")/data/"
    write_settings "$n" > "$(node "$n")/my.cnf"
  done
  trap stop_nodes EXIT
  say "Bootstrapping the cluster with node 1"
  launch_node 1 --wsrep-new-cluster
  await_synced 1
  for n in 2 3; do
    say "Joining node $n"
    launch_node "$n"
    await_synced "$n"
  done
  trap - EXIT
  say "Ready:"
  urls
}

start_node() {
  local n=$1 other others='' position
  if [ -n "$(process_of "$(node "$n")")" ]; then
    is_synced "$n" || fail "Node $n runs, but is $(state_of "$n")."
    say "Node $n runs already."
    return
  fi
  [ -e "$(node "$n")/my.cnf" ] || fail "There is no cluster to join; start makes one."
  for other in 1 2 3; do
    if is_synced "$other"; then others="$others $other"; fi
  done
  [ -n "$others" ] || fail "No node is there to join; start makes a new cluster."
  require_free_ports "$n"
  require_programs
  raise_open_files
  # The position at which a killed node stopped is only in its tables. With it, the node fetches the missed changes; without it, all data.
  position=$(as_ordinary_user mariadbd "--defaults-file=$(node "$n")/my.cnf" --wsrep-recover --disable-log-error 2>&1 9>&- |
    sed -n 's/.*WSREP: Recovered position: *//p' | tail -n 1) || true
  say "Joining node $n"
  launch_node "$n" ${position:+"--wsrep-start-position=$position"}
  await_synced "$n"
  say "Ready: $(url "$n")"
}

kill_node() {
  [ -n "$(process_of "$(node "$1")")" ] || fail "Node $1 does not run."
  say "Killing node $1"
  end_server "$(node "$1")" KILL
}

stop() {
  local n running=''
  for n in 1 2 3; do
    if [ -n "$(process_of "$(node "$n")")" ]; then running="$running $n"; fi
  done
  if [ -z "$running" ]; then
    say "It does not run."
    return
  fi
  say "Stopping$running"
  stop_nodes
}

# Stops the nodes in reverse order, so that no node is left to take over from the first.
stop_nodes() {
  local n
  for n in 3 2 1; do end_server "$(node "$n")"; done
}

require_programs() {
  if ! [ -e "$PROVIDER" ]; then install_galera; fi
  require setsid util-linux
  require ps procps
  require wsrep_sst_rsync mariadb-server
  require mariadb mariadb-client
  require rsync rsync
}

install_galera() {
  if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
    fail "$PROVIDER is missing; Debian has it in the package galera-4, which root can install."
  fi
  say "Installing galera-4"
  local log=$folder/apt.log
  { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends galera-4; } > "$log" 2>&1 9>&- ||
    fail "Cannot install galera-4: $(grep -m 1 '^E:' "$log" || echo "$log says why")"
}

# launch_node N OPTION...
launch_node() {
  local server
  server=$(node "$1")
  rm -f "$server/run/error.log"
  launch "$server" mariadbd "--defaults-file=$server/my.cnf" "${@:2}"
}

await_synced() {
  wait_until 120 is_synced_or_ended "$1" || true
  is_synced "$1" || fail_start "Node $1" "$(node "$1")"
}

is_synced_or_ended() {
  is_synced "$1" || [ -z "$(process_of "$(node "$1")")" ]
}

is_synced() {
  [ "$(state_of "$1")" = Synced ]
}

# Prints the state that a node reports of itself: Synced when it is part of the cluster.
state_of() {
  local state
  state=$(mariadb --no-defaults --host=127.0.0.1 --port="$(port "$1")" --user=root --connect-timeout=5 -Ne \
    "SHOW STATUS LIKE 'wsrep_local_state_comment'" 2> /dev/null | cut -f 2) || true
  printf '%s\n' "${state:-not reachable}"
}

node() {
  printf '%s\n' "$folder/node$1"
}

port() {
  printf '%s\n' "$((GALERA_PORT + $1 - 1))"
}

group_port() {
  printf '%s\n' "$((GALERA_GROUP_PORT + $1 - 1))"
}

# Requires all ports of the nodes to be free.
# require_free_ports N...
require_free_ports() {
  local n
  for n in "$@"; do
    require_free "$(port "$n")" "$(group_port "$n")" "$(group_port $((n + 3)))" "$(group_port $((n + 6)))"
  done
}

# write_settings N
write_settings() {
  local server group
  server=$(node "$1")
  group=$(group_port "$1")
  cat << END
$(mariadb_settings "$server" "$(port "$1")")
innodb_autoinc_lock_mode=2
binlog_format=ROW
wsrep_on=ON
wsrep_provider=$PROVIDER
wsrep_cluster_name=project-management-engines
wsrep_cluster_address=gcomm://127.0.0.1:$(group_port 1),127.0.0.1:$(group_port 2),127.0.0.1:$(group_port 3)
wsrep_node_name=node$1
wsrep_node_address=127.0.0.1:$group
wsrep_sst_method=rsync
wsrep_sst_receive_address=127.0.0.1:$(group_port $(($1 + 6)))
wsrep_provider_options="base_port=$group;gmcast.listen_addr=tcp://127.0.0.1:$group;ist.recv_addr=127.0.0.1:$(group_port $(($1 + 3)));gcache.size=128M"
END
}

url() {
  say "mariadb://root@127.0.0.1:$(port "$1")/mysql"
}

urls() {
  local n
  for n in 1 2 3; do url "$n"; done
}

require_node() {
  case $1 in [123]) ;; *) fail "The nodes are 1, 2 and 3." ;; esac
}

case ${1:-} in
  urls) urls ;;
  start | stop)
    open_folder galera
    lock_folder
    "$1"
    ;;
  kill)
    require_node "${2:-}"
    open_folder galera
    kill_node "$2"
    ;;
  start-node)
    require_node "${2:-}"
    open_folder galera
    lock_folder
    start_node "$2"
    ;;
  *) fail "usage: galera.sh start | stop | urls | kill N | start-node N" ;;
esac
