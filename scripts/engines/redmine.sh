#!/usr/bin/env bash
# A Redmine for tests, without Docker and without changes to the installed packages: those of Debian 12 are unpacked into a folder, which is
# the root of the server's file system. It listens only on 127.0.0.1, and each start begins with an empty Redmine. Needs root, for chroot.
#
#   redmine.sh start | stop | url | key
#
#   key            prints the API key of the administrator
#
#   ENGINES_DIR    parent folder of all files; default ${TMPDIR:-/tmp}/project-management-engines. Existing files are not downloaded again.
#   REDMINE_PORT   default 3310
#   DEBIAN_MIRROR  URL of Debian's archive; default: the archive that this machine's apt uses
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

REDMINE_PORT=${REDMINE_PORT:-3310}
KEY=0123456789abcdef0123456789abcdef01234567
# The user nobody.
OWNER=65534:65534
# Pictures are not converted, and pages are not shown.
LEFT_OUT='^(fonts-|fontconfig|hicolor|dbconfig|ucf|libjs-|imagemagick|lib(magick|heif|aom|dav1d|x265|de265|fftw|lqr|lcms|openjp2|tiff|webp|jbig|x11|xcb|xau|xdmcp|xext|glib|fontconfig|freetype|png|jpeg|deflate|lerc|numa))'

prepare() {
  root=$folder/root
  if ! [ -e "$root/complete" ]; then unpack bookworm "$LEFT_OUT" redmine redmine-sqlite puma dash coreutils; fi
  if ! [ -e "$folder/pristine.db" ]; then configure; fi
}

# Runs a command in the folder of Redmine, in place of this shell.
# exec_in_redmine COMMAND...
exec_in_redmine() {
  exec chroot --userspec="$OWNER" "$root" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/tmp LANG=C.UTF-8 RAILS_ENV=production \
    REDMINE_INSTANCE=default REDMINE_LANG=en SCHEMA=/dev/null \
    sh -c 'cd /usr/share/redmine && exec "$@"' redmine "$@"
}

in_redmine() {
  (exec_in_redmine "$@")
}

# Does what the packages do when they are installed, and adds a custom field, which the API cannot.
configure() {
  local state=$root/var/lib/redmine/default settings=$root/etc/redmine/default
  say "Initializing an empty Redmine"
  rm -rf "$state" "$settings"
  mkdir -p "$root"/{dev,tmp} "$state"/{files,tmp} "$settings" "$root/var/log/redmine/default"
  chmod 1777 "$root/tmp"
  [ -c "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
  [ -c "$root/dev/urandom" ] || mknod -m 666 "$root/dev/urandom" c 1 9
  printf 'nobody:x:%s:nobody:/tmp:/bin/sh\n' "$OWNER" > "$root/etc/passwd"
  printf 'nogroup:x:65534:\n' > "$root/etc/group"
  printf 'production: { adapter: sqlite3, database: /var/lib/redmine/default/redmine.db, timeout: 10000 }\n' > "$settings/database.yml"
  head -c 64 /dev/urandom | od -An -tx1 | tr -d ' \n' > "$settings/secret_key.txt"
  ln -s /etc/redmine/default "$state/config"
  echo "gem 'puma'" > "$root/usr/share/redmine/Gemfile.local"
  cat > "$root/tmp/configure.rb" << END
Setting.rest_api_enabled = '1'
Setting.notified_events = []
admin = User.find_by_login('admin')
admin.must_change_passwd = false
admin.save!(validate: false)
Token.where(user_id: admin.id, action: 'api').delete_all
Token.create!(user: admin, action: 'api').update_column(:value, '$KEY')
IssueCustomField.create!(name: 'Customer', field_format: 'string', is_for_all: true, tracker_ids: Tracker.pluck(:id))
END
  chown -R "$OWNER" "$root/var/lib/redmine" "$root/var/log/redmine" "$settings"
  {
    in_redmine bundle install --local --quiet &&
      in_redmine bundle exec rake db:migrate &&
      in_redmine bundle exec rake redmine:load_default_data &&
      in_redmine bundle exec rails runner /tmp/configure.rb
  } > "$folder/configure.log" 2>&1 || fail "Redmine cannot be configured; $folder/configure.log says why."
  cp "$state/redmine.db" "$folder/pristine.db"
}

# Prints the process id of the server; nothing when it does not run.
server_process() {
  local pid
  pid=$(cat "$folder/pid" 2> /dev/null) || return 0
  if [ "$(readlink "/proc/$pid/root" 2> /dev/null)" = "$folder/root" ]; then say "$pid"; fi
}

has_ended() {
  [ -z "$(server_process)" ]
}

start() {
  local state pid
  [ "$(id -u)" = 0 ] || fail "Redmine runs in a root of its own, which only root can give it."
  if [ -n "$(server_process)" ]; then
    say "It runs already."
    return
  fi
  require_free "$REDMINE_PORT"
  prepare
  say "Starting Redmine on port $REDMINE_PORT"
  state=$root/var/lib/redmine/default
  rm -rf "$state"/files/* "$state"/redmine.db*
  cp "$folder/pristine.db" "$state/redmine.db"
  chown "$OWNER" "$state/redmine.db"
  # One request at a time: SQLite, as Redmine uses it, refuses writes at once, and each request writes when the key was used.
  exec_in_redmine bundle exec puma --environment production --bind "tcp://127.0.0.1:$REDMINE_PORT" --threads 1:1 --config /dev/null \
    < /dev/null > "$folder/output.log" 2>&1 9>&- &
  pid=$!
  disown
  printf '%s\n' "$pid" > "$folder/pid"
  wait_until 180 accepts_or_gone "$pid" || true
  if ! accepts "$REDMINE_PORT"; then
    kill -KILL "$pid" 2> /dev/null || true
    fail "Redmine has not started: $(tail -n 15 "$folder/output.log")"
  fi
  say "Ready: $(url)"
}

# accepts_or_gone PROCESS
accepts_or_gone() {
  accepts "$REDMINE_PORT" || gone "$1"
}

stop() {
  local pid
  pid=$(server_process)
  if [ -z "$pid" ]; then
    say "It does not run."
    return
  fi
  say "Stopping Redmine"
  kill -TERM "$pid" 2> /dev/null || true
  wait_until 20 has_ended || kill -KILL "$pid" 2> /dev/null || true
  wait_until 10 has_ended || fail "The process $pid does not end."
  rm -f "$folder/pid"
}

url() {
  say "http://127.0.0.1:$REDMINE_PORT"
}

case ${1:-} in
  url) url ;;
  key) say "$KEY" ;;
  start | stop)
    open_folder redmine
    lock_folder
    "$1"
    ;;
  *) fail "usage: redmine.sh start | stop | url | key" ;;
esac
