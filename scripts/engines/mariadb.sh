#!/usr/bin/env bash
# A MariaDB server for tests: the installed one, on its own port. It listens only on 127.0.0.1, root has no password, and each start
# begins with an empty server.
#
#   mariadb.sh start | stop | url
#
#   ENGINES_DIR    parent folder of all files; default ${TMPDIR:-/tmp}/project-management-engines
#   ENGINES_SYNC   when set, every transaction is synced to the disk
#   MARIADB_PORT   default 3309
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

MARIADB_PORT=${MARIADB_PORT:-3309}

prepare() {
  initialize_mariadb
  program=(mariadbd)
}

write_settings() {
  mariadb_settings "$1" "$MARIADB_PORT"
}

url() {
  say "mariadb://root@127.0.0.1:$MARIADB_PORT/mysql"
}

case ${1:-} in
  url) url ;;
  start)
    open_folder mariadb
    lock_folder
    start_server MariaDB "$MARIADB_PORT"
    ;;
  stop)
    open_folder mariadb
    lock_folder
    stop_server MariaDB
    ;;
  *) fail "usage: mariadb.sh start | stop | url" ;;
esac
