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
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

prepare() {
  root=$folder/root
  if ! [ -e "$root/complete" ]; then download; fi
  loader=$(compgen -G "$root/usr/lib/*/ld-linux*.so.*" | head -n 1) || fail "$root has no loader; remove $folder."
  program=("$loader" --inhibit-cache --library-path "${loader%/*}" "$root/usr/sbin/mysqld")
  if ! [ -e "$folder/pristine/complete" ]; then initialize; fi
}

mirror_of_apt() {
  apt-get indextargets --format '$(SITE)' 2> /dev/null | sed -n '\|/debian/*$|{p;q}' || true
}

# Downloads the packages without reading or changing this machine's apt state, except for reading its network settings.
download() {
  local apt=$folder/apt packages
  require apt-get apt
  require dpkg dpkg
  DEBIAN_MIRROR=${DEBIAN_MIRROR:-$(mirror_of_apt)}
  [ -n "$DEBIAN_MIRROR" ] || fail "apt on this machine knows no archive of Debian; set DEBIAN_MIRROR to one."
  [ -r "$KEYRING" ] || fail "$KEYRING is missing; Debian has it in the package debian-archive-keyring."
  rm -rf "$apt" "$root" "$folder/unpacking"
  mkdir -p "$apt"/{lists/partial,state,archives/partial,none}
  : > "$apt/status"
  printf 'deb [signed-by=%s] %s sid main\n' "$KEYRING" "$DEBIAN_MIRROR" > "$apt/sources.list"
  {
    apt-config dump | grep -E '^Acquire::(https?|Check-|Force)' || true
    cat << END
Dir::Etc::main "/dev/null";
Dir::Etc::parts "$apt/none";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/none";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$apt/none";
Dir::State "$apt/state";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Cache::archives "$apt/archives";
Dir::Log "$apt";
APT::Sandbox::User "root";
APT::Install-Recommends "false";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "30";
END
  } > "$apt/apt.conf"
  export APT_CONFIG=$apt/apt.conf

  say "Reading the list of packages of $DEBIAN_MIRROR"
  apt-get -qq update > "$apt/log" 2>&1 || fail "Cannot read it: $(grep -m 1 '^[EW]:' "$apt/log" || echo "$apt/log says why")"
  # With an empty list of installed packages, this lists all dependencies. Perl is left out, because the server does not run it.
  apt-get -qq --simulate install mysql-server-core > "$apt/simulated" 2> "$apt/log" ||
    fail "Debian unstable has no mysql-server-core that can be installed at the moment; $apt/log says why."
  packages=$(sed -n 's/^Inst \([^ ]*\) .*/\1/p' "$apt/simulated" | grep -Ev '^(lib)?perl|^libgdbm|^libdb5|^libc-gconv')

  say "Downloading MySQL $(sed -n 's/^Inst mysql-server-core (\([^ ]*\) .*/\1/p' "$apt/simulated") and $(($(wc -w <<< "$packages") - 1)) libraries"
  # shellcheck disable=SC2086 # one word for each package
  (cd "$apt/archives" && apt-get -qq download $packages) > "$apt/log" 2>&1 ||
    fail "Cannot download them: $(grep -m 1 '^E:' "$apt/log" || echo "$apt/log says why")"

  say "Unpacking them"
  mkdir "$folder/unpacking"
  local archive
  for archive in "$apt"/archives/*.deb; do
    dpkg -x "$archive" "$folder/unpacking" || fail "$archive cannot be unpacked."
  done
  touch "$folder/unpacking/complete"
  mv "$folder/unpacking" "$root"
  rm -rf "$apt"
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
