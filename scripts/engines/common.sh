# Shared functions, sourced by the other scripts in this folder.
# shellcheck shell=bash

ENGINES_DIR=${ENGINES_DIR:-${TMPDIR:-/tmp}/project-management-engines}

say() {
  printf '%s\n' "$*"
}

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# require COMMAND PACKAGE
require() {
  command -v "$1" > /dev/null || fail "$1 is missing; Debian has it in the package $2."
}

# Creates the folder of one engine, and sets `folder` to its path without symbolic links.
# open_folder NAME
open_folder() {
  umask 022
  mkdir -p "$ENGINES_DIR" 2> /dev/null || fail "Cannot create $ENGINES_DIR; ENGINES_DIR names another folder."
  # Programs are started from it, so it must not belong to another user.
  [ -O "$ENGINES_DIR" ] || fail "$ENGINES_DIR belongs to somebody else; ENGINES_DIR names another folder."
  ENGINES_DIR=$(cd "$ENGINES_DIR" && pwd -P)
  case $ENGINES_DIR in *[[:space:]\"\'\\]*) fail "The path $ENGINES_DIR must not contain spaces or quotes." ;; esac
  folder=$ENGINES_DIR/$1
  mkdir -p "$folder" 2> /dev/null || fail "Cannot create $folder; ENGINES_DIR names another folder."
  # The servers and their scripts cannot use the folder for temporary files of another user.
  give_to_servers "$folder/tmp"
  export TMPDIR=$folder/tmp
}

# Locks the folder, so that one call at a time starts or stops its servers.
lock_folder() {
  require flock util-linux
  exec 9> "$folder/lock"
  flock -w 600 9 || fail "Another call is at work in $folder."
}

# Runs a command as the user nobody instead of root, because servers refuse to run as root.
as_ordinary_user() {
  if [ "$(id -u)" = 0 ]; then
    require setpriv util-linux
    (cd "$folder" && exec setpriv --reuid=nobody --regid="$(id -gn nobody)" --clear-groups -- "$@")
  else
    (cd "$folder" && exec "$@")
  fi
}

# Creates an empty folder that servers can write to.
# make_writable FOLDER
make_writable() {
  rm -rf "$1"
  give_to_servers "$1"
}

# Creates a folder that servers can write to, unless it exists.
# give_to_servers FOLDER
give_to_servers() {
  mkdir -p "$1"
  chmod 700 "$1"
  if [ "$(id -u)" = 0 ]; then chown "nobody:$(id -gn nobody)" "$1"; fi
  as_ordinary_user test -w "$1" || fail "The user nobody cannot reach $1; ENGINES_DIR names another folder."
}

# Raises the limit of open files to what a whole test run needs, as far as the machine's hard limit allows.
raise_open_files() {
  local hard
  hard=$(ulimit -Hn)
  if [ "$hard" = unlimited ] || [ "$hard" -gt 20000 ]; then hard=20000; fi
  if [ "$(ulimit -Sn)" = unlimited ] || [ "$(ulimit -Sn)" -lt "$hard" ]; then ulimit -Sn "$hard"; fi
}

# Starts a server in a new session, and writes its process id to FOLDER/pid. The server reads FOLDER/my.cnf.
# launch FOLDER COMMAND...
launch() {
  local server=$1 program=$2
  shift
  if [ "$(id -u)" = 0 ]; then
    require setpriv util-linux
    set -- setpriv --reuid=nobody --regid="$(id -gn nobody)" --clear-groups -- "$@"
  fi
  rm -f "$server/pid"
  # With job control, setsid forks and $! is the wrong process, so the right one writes its own id. The server inherits no
  # descriptor of the caller: neither the lock nor a pipe whose reader waits for its end.
  # shellcheck disable=SC2016 # expanded by the shell that it starts
  (cd "$server" && exec setsid sh -c 'echo $$ > pid.new && mv pid.new pid && exec "$@"' launch "$@" \
    < /dev/null >> "$server/output.log" 2>&1 9>&-) &
  disown
  wait_until 10 has_launched "$server" "$program" || true
}

# has_launched FOLDER PROGRAM
has_launched() {
  local pid first
  pid=$(cat "$1/pid" 2> /dev/null) || return 1
  if gone "$pid"; then return 0; fi
  { IFS= read -r -d '' first < "/proc/$pid/cmdline"; } 2> /dev/null || return 1
  [ "$first" = "$2" ]
}

# runs_in FOLDER PROCESS
runs_in() {
  local arguments
  # A process shows no arguments for a moment while it executes another program.
  wait_until 2 shows_arguments "$2" || return 1
  arguments=$(tr '\0' '\n' < "/proc/$2/cmdline") || return 1
  [[ $'\n'$arguments$'\n' == *$'\n'"--defaults-file=$1/my.cnf"$'\n'* ]]
} 2> /dev/null

# shows_arguments PROCESS
shows_arguments() {
  gone "$1" || [ -n "$(tr -d '\0' < "/proc/$1/cmdline")" ]
}

# Prints the process id of a server; nothing when it is not running. Ignores an id that another process has taken since.
# process_of FOLDER
process_of() {
  local pid
  pid=$(cat "$1/pid" 2> /dev/null) || return 0
  if runs_in "$1" "$pid"; then
    printf '%s\n' "$pid"
  else
    rm -f "$1/pid"
  fi
}

# Ends a server and its child processes, such as the scripts that transfer its data.
# end_server FOLDER [SIGNAL]
end_server() {
  local pid
  pid=$(process_of "$1")
  [ -n "$pid" ] || return 0
  kill "-${2:-TERM}" "$pid" 2> /dev/null || true
  wait_until 60 gone "$pid" || true
  kill -KILL -- "-$pid" 2> /dev/null || true
  wait_until 10 gone "$pid" || fail "The process $pid does not end."
  rm -f "$1/pid"
}

# Succeeds when a process has ended; a zombie counts as ended.
gone() {
  local state
  state=$(ps -o stat= -p "$1") || return 0
  case $state in Z*) return 0 ;; *) return 1 ;; esac
}

accepts() {
  (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null
}

is_free() {
  ! accepts "$1"
}

# require_free PORT...
require_free() {
  local port
  for port in "$@"; do
    # A killed server may need a moment to release the port.
    wait_until 3 is_free "$port" || fail "Something else listens on port $port."
  done
}

# wait_until SECONDS COMMAND...
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.2
  done
}

# Prints the logs of a server that has not started, ends it and fails.
# fail_start NAME FOLDER
fail_start() {
  local log
  for log in "$2/output.log" "$2/run/error.log"; do
    if [ -s "$log" ]; then printf '%s ends with:\n%s\n' "$log" "$(tail -n 15 "$log")" >&2; fi
  done
  end_server "$2" KILL
  fail "$1 has not started."
}

# Starts the only server of an engine, with an empty database. The script defines `prepare`, which creates $folder/pristine and sets
# the array `program`, and `write_settings`.
# start_server NAME PORT
start_server() {
  local server=$folder/server program
  if [ -n "$(process_of "$server")" ]; then
    accepts "$2" || fail "It runs already, but not on port $2; stop it first."
    say "It runs already."
    return
  fi
  require_free "$2"
  require setsid util-linux
  require ps procps
  prepare

  say "Starting $1 on port $2"
  mkdir -p "$server"
  make_writable "$server/data"
  make_writable "$server/run"
  rm -f "$server"/*.log
  cp -a "$folder/pristine/data/." "$server/data/"
  write_settings "$server" > "$server/my.cnf"
  raise_open_files
  launch "$server" "${program[@]}" "--defaults-file=$server/my.cnf"
  wait_until 120 has_started_or_ended "$server" "$2" || true
  if [ -z "$(process_of "$server")" ] || ! accepts "$2"; then fail_start "$1" "$server"; fi
  say "Ready: $(url)"
}

# has_started_or_ended FOLDER PORT
has_started_or_ended() {
  accepts "$2" || [ -z "$(process_of "$1")" ]
}

# stop_server NAME
stop_server() {
  if [ -z "$(process_of "$folder/server")" ]; then
    say "It does not run."
    return
  fi
  say "Stopping $1"
  end_server "$folder/server"
}

# Creates the data of an empty MariaDB server in $folder/pristine, which each start copies.
initialize_mariadb() {
  local pristine=$folder/pristine
  require mariadbd mariadb-server
  require mariadb-install-db mariadb-server
  if [ -e "$pristine/complete" ]; then return; fi
  say "Initializing an empty server"
  rm -rf "$pristine"
  mkdir "$pristine"
  make_writable "$pristine/data"
  as_ordinary_user mariadb-install-db --no-defaults "--datadir=$pristine/data" --auth-root-authentication-method=normal \
    --skip-test-db > "$pristine/output.log" 2>&1 9>&- || fail "mariadb-install-db has failed; $pristine/output.log says why."
  touch "$pristine/complete"
}

# Prints the settings of a server that never waits for the disk, unless ENGINES_SYNC is set.
unsynced_settings() {
  if [ -n "${ENGINES_SYNC:-}" ]; then return; fi
  printf '%s\n' innodb_flush_log_at_trx_commit=0 innodb_flush_method=nosync innodb_doublewrite=OFF
}

# Prints the settings of a MariaDB server.
# mariadb_settings FOLDER PORT
mariadb_settings() {
  cat << END
[mysqld]
datadir=$1/data
tmpdir=$1/run
socket=$1/run/mariadb.sock
pid_file=$1/run/mariadbd.pid
log_error=$1/run/error.log
port=$2
bind_address=127.0.0.1
skip_name_resolve
max_connections=600
default_storage_engine=InnoDB
innodb_buffer_pool_size=256M
innodb_log_file_size=64M
END
  unsynced_settings
}

mirror_of_apt() {
  apt-get indextargets --format '$(SITE)' 2> /dev/null | sed -n '\|/debian/*$|{p;q}' || true
}

# Downloads packages of Debian with all that they depend on, and unpacks them into $root. This machine's apt state is neither read nor
# changed, except that its network settings are read.
# unpack SUITE LEFT_OUT PACKAGE...
unpack() {
  local suite=$1 left_out=$2 apt=$folder/apt packages keyring=/usr/share/keyrings/debian-archive-keyring.gpg archive
  shift 2
  require apt-get apt
  require dpkg dpkg
  DEBIAN_MIRROR=${DEBIAN_MIRROR:-$(mirror_of_apt)}
  [ -n "$DEBIAN_MIRROR" ] || fail "apt on this machine knows no archive of Debian; set DEBIAN_MIRROR to one."
  [ -r "$keyring" ] || fail "$keyring is missing; Debian has it in the package debian-archive-keyring."
  rm -rf "$apt" "$root" "$folder/unpacking"
  mkdir -p "$apt"/{lists/partial,state,archives/partial,none}
  : > "$apt/status"
  printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$DEBIAN_MIRROR" "$suite" > "$apt/sources.list"
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
  # With an empty list of installed packages, this lists all dependencies.
  apt-get -qq --simulate install "$@" > "$apt/simulated" 2> "$apt/log" ||
    fail "Debian's $suite has no $1 that can be installed at the moment; $apt/log says why."
  packages=$(sed -n 's/^Inst \([^ ]*\) .*/\1/p' "$apt/simulated" | grep -Ev "$left_out")

  say "Downloading $1 $(sed -n "s/^Inst $1 (\([^ ]*\) .*/\1/p" "$apt/simulated") and $(($(wc -w <<< "$packages") - 1)) other packages"
  # shellcheck disable=SC2086 # one word for each package
  (cd "$apt/archives" && apt-get -qq download $packages) > "$apt/log" 2>&1 ||
    fail "Cannot download them: $(grep -m 1 '^E:' "$apt/log" || echo "$apt/log says why")"

  say "Unpacking them"
  mkdir "$folder/unpacking"
  for archive in "$apt"/archives/*.deb; do
    dpkg -x "$archive" "$folder/unpacking" || fail "$archive cannot be unpacked."
  done
  touch "$folder/unpacking/complete"
  mv "$folder/unpacking" "$root"
  rm -rf "$apt"
}
