#!/usr/bin/env bash
# A MySQL server for tests, without Docker and without changes to the installed packages: those of Debian's unstable suite are unpacked
# into a folder and started with their own loader and C library. The server listens only on 127.0.0.1, root has no password, and
# each start begins with an empty server.
#
#   mysql.sh start | stop | url
#
#   ENGINES_DIR    parent folder of all files; default ${TMPDIR:-/tmp}/project-management-engines. Existing files are not downloaded again.
#   ENGINES_SYNC   when set, every transaction is synced to the disk
#   MYSQL_PORT     default 3308
#   DEBIAN_MIRROR  URL of Debian's archive; default: the archive that this machine's apt uses
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

MYSQL_PORT=${MYSQL_PORT:-3308}

prepare() {
  root=$folder/root
  # Perl is left out, because the server does not run it.
  if ! [ -e "$root/complete" ]; then unpack sid '^(lib)?perl|^libgdbm|^libdb5|^libc-gconv' mysql-server-core; fi
  loader=$(compgen -G "$root/usr/lib/*/ld-linux*.so.*" | head -n 1) || fail "$root has no loader; remove $folder."
  program=("$loader" --inhibit-cache --library-path "${loader%/*}" "$root/usr/sbin/mysqld")
  if ! [ -e "$folder/pristine/complete" ]; then initialize; fi
}

initialize() {
  local pristine=$folder/pristine
  say "Initializing an empty server"
  rm -rf "$pristine"
  mkdir "$pristine"
  make_writable "$pristine/data"
  make_writable "$pristine/run"
  write_settings "$pristine" > "$pristine/my.cnf"
  cat > "$pristine/accounts.sql" << 'END'
CREATE USER root@'127.0.0.1' IDENTIFIED BY '';
GRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;
END
  as_ordinary_user "${program[@]}" \
    "--defaults-file=$pristine/my.cnf" --initialize-insecure "--init-file=$pristine/accounts.sql" \
    > "$pristine/output.log" 2>&1 9>&- || fail_start "MySQL" "$pristine"
  rm "$pristine/data/auto.cnf"
  touch "$pristine/complete"
}

# write_settings FOLDER
write_settings() {
  cat << END
[mysqld]
basedir=$root/usr
datadir=$1/data
tmpdir=$1/run
socket=$1/run/mysql.sock
pid_file=$1/run/mysqld.pid
log_error=$1/run/error.log
lc_messages_dir=$root/usr/share/mysql
character_sets_dir=$root/usr/share/mysql/charsets
plugin_dir=$root/usr/lib/mysql/plugin
secure_file_priv=NULL
port=$MYSQL_PORT
bind_address=127.0.0.1
mysqlx=OFF
skip_name_resolve
skip_log_bin
max_connections=600
innodb_buffer_pool_size=256M
innodb_redo_log_capacity=64M
END
  unsynced_settings
}

url() {
  say "mysql://root@127.0.0.1:$MYSQL_PORT/mysql"
}

case ${1:-} in
  url) url ;;
  start)
    open_folder mysql
    lock_folder
    start_server MySQL "$MYSQL_PORT"
    ;;
  stop)
    open_folder mysql
    lock_folder
    stop_server MySQL
    ;;
  *) fail "usage: mysql.sh start | stop | url" ;;
esac
