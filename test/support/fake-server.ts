import { once } from 'node:events';
import { type Server, type Socket } from 'node:net';
import { type Connection, createServer } from 'mysql2';
import { freePort } from '../../bench/support/free-port';

/** A statement that a fake server has received. */
export interface Received {
  sql: string;
  /** Number of its connection, in the order in which they were opened. */
  connection: number;
}

/** An error of a server. */
interface ServerError {
  code: number;
  message: string;
}

const UNKNOWN_VARIABLE: ServerError = { code: 1193, message: 'Unknown system variable' };

/** A server of the MySQL protocol that is whatever a test says: a primary, a replica, a node of a cluster. */
export class FakeServer {
  /** Statements of the service, without those of the looks at the server. */
  received: Received[] = [];
  isReadOnly = false;
  /** The id of its cluster, if it is a Galera node. */
  cluster?: string;
  /** The errors with which it answers statements that begin with a text. */
  errors = new Map<string, ServerError>();
  /** Whether it leaves waits for the commits of other nodes unanswered. */
  isBehind = false;
  private server?: Server;
  private readonly sockets = new Set<Socket>();
  private connections = 0;
  private port = 0;

  /** Opens a server, or opens it again on its port. */
  async open(): Promise<this> {
    const protocol = createServer((connection) => this.serve(connection));
    // The driver's types leave out the address to listen on.
    this.server = (protocol as unknown as { _server: Server })._server;
    this.port ||= await freePort();
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  /** Closes the server with all its connections. */
  async close(): Promise<void> {
    if (!this.server?.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Returns the received statements that contain a text. */
  statements(text = ''): string[] {
    return this.received.map(({ sql }) => sql).filter((sql) => sql.includes(text));
  }

  private serve(connection: Connection): void {
    const { stream } = connection as unknown as { stream: Socket };
    this.sockets.add(stream);
    stream.on('close', () => this.sockets.delete(stream));
    const number = ++this.connections;
    const statements: Received[] = [];
    // The driver leaves it to the server to number the packets of each statement from 0.
    const receive = (sql: string): void => {
      const received = { sql, connection: number };
      // Only looks ask for these; what came before belongs to the look as well.
      if (sql.startsWith('SHOW GLOBAL'))
        this.received = this.received.filter((one) => !statements.includes(one));
      else this.received.push(received);
      statements.push(received);
      connection.sequenceId = 1;
      this.answer(connection, sql, statements);
      connection.sequenceId = 0;
    };
    connection.on('error', () => undefined);
    connection.on('query', receive);
    // The driver takes these for preparations.
    connection.on('stmt_prepare', receive);
    connection.serverHandshake({
      protocolVersion: 10,
      serverVersion: '5.5.5-10.11.6-MariaDB',
      connectionId: number,
      statusFlags: 2,
      characterSet: 45,
      capabilityFlags: 0xffffff,
      authCallback: (_account: unknown, admit: (error: null) => void) => {
        admit(null);
        connection.sequenceId = 0;
      },
    });
  }

  private answer(connection: Connection, sql: string, before: Received[]): void {
    const isWait = sql === 'SELECT 1' && before.at(-2)?.sql === 'SET SESSION wsrep_sync_wait = 1';
    const error = [...this.errors].find(([text]) => sql.startsWith(text))?.[1];
    if (isWait && this.isBehind) return;
    if (error) connection.writeError(error);
    else if (sql.includes('wsrep_sync_wait') && this.cluster === undefined)
      connection.writeError(UNKNOWN_VARIABLE);
    else if (sql.startsWith('SHOW GLOBAL')) this.show(connection, sql);
    else if (sql.startsWith('SELECT')) this.select(connection, sql);
    else connection.writeOk();
  }

  private show(connection: Connection, sql: string): void {
    const status = { wsrep_local_state_comment: 'Synced', wsrep_cluster_state_uuid: this.cluster };
    const variables = { read_only: this.isReadOnly ? 'ON' : 'OFF' };
    const values = sql.includes('GLOBAL VARIABLES') ? variables : this.cluster === undefined ? {} : status;
    connection.writeTextResult(
      Object.entries(values).map(([name, Value]) => ({ Variable_name: name, Value })),
      [column('Variable_name'), column('Value')],
    );
  }

  private select(connection: Connection, sql: string): void {
    const name = /AS `?(\w+)`?$/i.exec(sql)?.[1] ?? '1';
    const value = /version\(\)/i.test(sql) ? '10.11.6-MariaDB' : 'x';
    connection.writeTextResult([{ [name]: value }], [column(name)]);
  }
}

const column = (name: string): object => ({
  catalog: 'def',
  schema: '',
  table: '',
  orgTable: '',
  name,
  orgName: name,
  characterSet: 45,
  columnLength: 255,
  columnType: 253,
  flags: 0,
  decimals: 0,
});
