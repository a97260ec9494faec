# Shared by the scripts beside it, which source it.
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

# Makes the folder of one engine. Its path contains no symbolic link.
# open_folder NAME
open_folder() {
  umask 022
  mkdir -p "$ENGINES_DIR" || fail "Cannot create $ENGINES_DIR; ENGINES_DIR names another folder."
  # Programs are started from it, which somebody else must not have put there.
  [ -O "$ENGINES_DIR" ] || fail "$ENGINES_DIR belongs to somebody else; ENGINES_DIR names another folder."
  ENGINES_DIR=$(cd "$ENGINES_DIR" && pwd -P)
  case $ENGINES_DIR in *[[:space:]\"\'\\]*) fail "The path $ENGINES_DIR must not contain spaces or quotes." ;; esac
  folder=$ENGINES_DIR/$1
  mkdir -p "$folder"
}

# One call at a time starts or stops servers of a folder.
lock_folder() {
  require flock util-linux
  exec 9> "$folder/lock"
  flock -w 600 9 || fail "Another call is at work in $folder."
}

# Servers refuse to run as root.
as_ordinary_user() {
  if [ "$(id -u)" = 0 ]; then
    require setpriv util-linux
    (cd "$folder" && exec setpriv --reuid=nobody --regid="$(id -gn nobody)" --clear-groups -- "$@")
  else
    (cd "$folder" && exec "$@")
  fi
}

# Makes an empty folder that servers may write to.
# make_writable FOLDER
make_writable() {
  rm -rf "$1"
  mkdir -p "$1"
  chmod 700 "$1"
  if [ "$(id -u)" = 0 ]; then chown "nobody:$(id -gn nobody)" "$1"; fi
  as_ordinary_user test -w "$1" || fail "The user nobody cannot reach $1; ENGINES_DIR names another folder."
}

# Enough files for the connections and tables of a whole test run, as far as this machine lets us.
raise_open_files() {
  local hard
  hard=$(ulimit -Hn)
  if [ "$hard" = unlimited ] || [ "$hard" -gt 20000 ]; then hard=20000; fi
  if [ "$(ulimit -Sn)" = unlimited ] || [ "$(ulimit -Sn)" -lt "$hard" ]; then ulimit -Sn "$hard"; fi
}

# Starts a server in a session of its own, which leaves its id in FOLDER/pid. The server reads FOLDER/my.cnf.
# launch FOLDER COMMAND...
launch() {
  local server=$1 program=$2
  shift
  if [ "$(id -u)" = 0 ]; then
    require setpriv util-linux
    set -- setpriv --reuid=nobody --regid="$(id -gn nobody)" --clear-groups -- "$@"
  fi
  rm -f "$server/pid"
  # setsid forks where job control is on, so that $! may be the wrong process: the right one writes its id itself. No descriptor
  # of the caller stays open in the server: neither the lock nor a pipe that somebody reads to its end.
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
  # A process that is about to turn into another program shows no arguments for a moment.
  wait_until 2 shows_arguments "$2" || return 1
  arguments=$(tr '\0' '\n' < "/proc/$2/cmdline") || return 1
  [[ $'\n'$arguments$'\n' == *$'\n'"--defaults-file=$1/my.cnf"$'\n'* ]]
} 2> /dev/null

# shows_arguments PROCESS
shows_arguments() {
  gone "$1" || [ -n "$(tr -d '\0' < "/proc/$1/cmdline")" ]
}

# The process of a server; nothing when it does not run. An id that somebody else's process has by now does not count.
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

# Ends a server and what it has started, such as the scripts that transfer its data.
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

# A process that has ended and waits for its parent to notice counts as gone.
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
    # A server that was killed may need a moment to let it go.
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

# Prints why a server has not started, and fails.
# fail_start NAME FOLDER
fail_start() {
  local log
  for log in "$2/output.log" "$2/run/error.log"; do
    if [ -s "$log" ]; then printf '%s ends with:\n%s\n' "$log" "$(tail -n 15 "$log")" >&2; fi
  done
  end_server "$2" KILL
  fail "$1 has not started."
}
