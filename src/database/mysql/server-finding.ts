import { createRequire } from 'node:module';
import type * as MySql from 'mysql2';
import { type Connection, type ConnectionOptions, type QueryError } from 'mysql2';
import { destroy, streamOf } from './connection-socket';

/** Timeout of a check of a server, in milliseconds. */
const TIMEOUT_MS = 2000;
/** State of a Galera node that accepts statements; other servers have no such status. */
const SYNCED = 'Synced';
const STATE = 'wsrep_local_state_comment';
const CLUSTER = 'wsrep_cluster_state_uuid';
const STATUS = `SHOW GLOBAL STATUS WHERE Variable_name IN ('${STATE}', '${CLUSTER}')`;
/** Any of these prevents writes. Each server has only some of them. */
const READ_ONLY = `SHOW GLOBAL VARIABLES WHERE Variable_name IN
  ('read_only', 'super_read_only', 'innodb_read_only', 'tx_read_only', 'transaction_read_only')`;

/** The result of a check of a server. */
export type ServerFinding =
  | { state: 'late' }
  | { state: 'failed'; reason: string }
  | {
      state: 'read-only' | 'writable';
      /** The id of the cluster of which it is a node; undefined for other servers. */
      cluster?: string;
    };

/** Loads the client as TypeORM does, only if servers are used. */
const mysql = (): typeof MySql => createRequire(__filename)('mysql2') as typeof MySql;

/**
 * Checks a server over a connection of its own.
 * @param waitsForCommits whether a Galera node must first apply the commits of the other nodes
 */
export function findServer(options: ConnectionOptions, waitsForCommits: boolean): Promise<ServerFinding> {
  return new Promise((resolve) => {
    const connection = mysql().createConnection({ ...options, connectTimeout: TIMEOUT_MS });
    const timer = setTimeout(() => end({ state: 'late' }), TIMEOUT_MS);
    const end = (finding: ServerFinding): void => {
      clearTimeout(timer);
      if (finding.state === 'late' || finding.state === 'failed') destroy(connection);
      else closeInOrder(connection);
      resolve(finding);
    };
    connection.on('error', (error: Error) => end({ state: 'failed', reason: error.message }));
    ask(connection, waitsForCommits, end);
  });
}

/** Closes a connection with the protocol's own message; without it, the server would log an aborted connection for each check. */
function closeInOrder(connection: Connection): void {
  connection.end();
  const limit = setTimeout(() => destroy(connection), TIMEOUT_MS);
  streamOf(connection).once('close', () => clearTimeout(limit));
}

function ask(connection: Connection, waitsForCommits: boolean, end: (finding: ServerFinding) => void): void {
  let status = new Map<string, string>();
  const onSuccess = (then: (values: Map<string, string>) => void) => {
    return (error: QueryError | null, rows: unknown): void => {
      if (error) end({ state: 'failed', reason: error.message });
      else then(valuesOf(rows));
    };
  };
  const onError = (error: QueryError | null): void => {
    if (error) end({ state: 'failed', reason: error.message });
  };
  if (waitsForCommits) {
    // Other servers lack the variable, and have no commits to wait for.
    connection.query('SET SESSION wsrep_sync_wait = 1', () => undefined);
    connection.query('SELECT 1', onError);
  }
  connection.query(
    STATUS,
    onSuccess((values) => (status = values)),
  );
  // A proxy that lets replicas answer reads sends a transaction to the primary.
  connection.query('START TRANSACTION', onError);
  connection.query(
    READ_ONLY,
    onSuccess((variables) => {
      const state = status.get(STATE) ?? '';
      if (state !== '' && state !== SYNCED) {
        end({ state: 'failed', reason: `its state is ${state}` });
        return;
      }
      const isReadOnly = [...variables.values()].some((value) => value !== 'OFF' && value !== '0');
      const cluster = state === SYNCED ? status.get(CLUSTER) : undefined;
      end({ state: isReadOnly ? 'read-only' : 'writable', cluster });
    }),
  );
}

const valuesOf = (rows: unknown): Map<string, string> =>
  new Map(
    (rows as { Variable_name: string; Value: string }[]).map(({ Variable_name: name, Value }) => [
      name,
      Value,
    ]),
  );
