import { type Environment } from '../config/environment';
import { type Snapshot } from '../database/snapshot/snapshot';
import { readOddTables, readServerSettings, readServerTime } from './data/engine-settings';
import { type Finding, ok, problem, warning } from './finding';

const MIN_VERSIONS = { mariadb: [10, 6], mysql: [8, 4] } as const;
/** Minimum packet size in bytes: a comment, its activity and its event easily fit into one statement. */
const MIN_PACKET_BYTES = 4 * 1024 * 1024;
/** Maximum difference between two clocks, in milliseconds: leases and expiry times are compared between machines. */
const CLOCK_WARNING_MS = 1000;
const CLOCK_PROBLEM_MS = 10_000;

/** Checks a MySQL or MariaDB server and what the service relies on there. */
export async function* checkServer(snapshot: Snapshot, environment: Environment): AsyncGenerator<Finding> {
  yield checkVersion(snapshot.engine);
  const before = Date.now();
  const serverTime = await readServerTime(snapshot);
  yield checkClock(serverTime - (before + Date.now()) / 2);
  const settings = await readServerSettings(snapshot, [
    'max_connections',
    'max_allowed_packet',
    'innodb_flush_log_at_trx_commit',
    'sql_mode',
    'transaction_isolation',
    'tx_isolation',
  ]);
  yield* checkSettings(settings, environment);
  const odd = await readOddTables(snapshot);
  yield odd.length === 0
    ? ok('tables', 'All are InnoDB, in utf8mb4_bin.')
    : problem(
        'tables',
        `Not InnoDB in utf8mb4_bin: ${odd.join(', ')}.`,
        'Restore a backup into a new database.',
      );
}

function checkVersion(engine: string): Finding {
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(engine) ?? []).slice(1).map(Number);
  const [oldestMajor, oldestMinor] = MIN_VERSIONS[engine.includes('MariaDB') ? 'mariadb' : 'mysql'];
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok('database', engine);
  return problem('database', `${engine} is too old.`, `Upgrade to ${oldestMajor}.${oldestMinor} or later.`);
}

function checkClock(offset: number): Finding {
  const apart = Math.abs(offset);
  const message = `The clock of the database is ${(apart / 1000).toFixed(1)} s ${offset < 0 ? 'behind' : 'ahead'}.`;
  const advice = 'Synchronise the clocks of all machines (NTP).';
  if (apart > CLOCK_PROBLEM_MS) return problem('clock', message, advice);
  return apart > CLOCK_WARNING_MS ? warning('clock', message, advice) : ok('clock', message);
}

function* checkSettings(settings: ReadonlyMap<string, string>, environment: Environment): Generator<Finding> {
  const numberOf = (name: string): number => Number(settings.get(name) ?? NaN);
  const connections = numberOf('max_connections');
  const pool = environment.DATABASE_POOL_SIZE;
  const message = `The server accepts ${connections} connections; a process opens up to ${pool}.`;
  if (pool >= connections) {
    yield problem('connections', message, 'Raise max_connections, or lower DATABASE_POOL_SIZE.');
  } else {
    yield ok('connections', message);
  }
  const packet = numberOf('max_allowed_packet');
  yield packet < MIN_PACKET_BYTES
    ? problem(
        'max_allowed_packet',
        `Statements can have at most ${packet} bytes.`,
        `Set it to ${MIN_PACKET_BYTES} or more.`,
      )
    : ok('max_allowed_packet', `${packet / 1024 / 1024} MiB.`);
  yield numberOf('innodb_flush_log_at_trx_commit') === 1
    ? ok('durability', 'Every commit is written to disk.')
    : warning(
        'durability',
        'Acknowledged writes can be lost in a power failure.',
        'Set innodb_flush_log_at_trx_commit=1, unless a cluster keeps it elsewhere.',
      );
  yield (settings.get('sql_mode') ?? '').includes('STRICT_')
    ? ok('sql_mode', 'Values that do not fit are refused.')
    : problem('sql_mode', 'Values that do not fit are truncated.', 'Add STRICT_TRANS_TABLES to sql_mode.');
  const isolation = settings.get('transaction_isolation') ?? settings.get('tx_isolation') ?? '';
  yield isolation === 'REPEATABLE-READ' || isolation === 'READ-COMMITTED'
    ? ok('isolation', isolation)
    : warning(
        'isolation',
        `Transactions run in ${isolation}.`,
        'Set transaction_isolation to REPEATABLE-READ.',
      );
}
