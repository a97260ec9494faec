import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Connection, createConnection } from 'mysql2/promise';
import { freePort } from '../../bench/support/free-port';

/** Whether the programs of MariaDB's server are installed. */
export const hasMariaDb = ['mariadbd', 'mariadb-install-db'].every(
  (program) => spawnSync('which', [program]).status === 0,
);

/** A MariaDB server of a test, which may do with it what would disturb others. Its root user has no password. */
export class PrivateServer {
  private process?: ChildProcess;

  private constructor(
    private readonly folder: string,
    readonly port: number,
    private readonly id: number,
  ) {}

  /** Starts servers that write a binary log, with their files below a folder. */
  static async startAll(folder: string, count: number): Promise<PrivateServer[]> {
    const pristine = join(folder, 'pristine');
    await promisify(execFile)('mariadb-install-db', [
      '--no-defaults',
      ...asRoot(),
      `--datadir=${pristine}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ]);
    const servers: PrivateServer[] = [];
    for (let id = 1; id <= count; id++) {
      const own = join(folder, String(id));
      await mkdir(own);
      await cp(pristine, join(own, 'data'), { recursive: true });
      const server = new PrivateServer(own, await freePort(), id);
      servers.push(server);
      await server.start();
    }
    return servers;
  }

  /** Starts the server, or starts it again after a kill; a replica is `read_only` from its start. */
  async start(options: string[] = []): Promise<void> {
    this.process = spawn(
      'mariadbd',
      [
        '--no-defaults',
        ...asRoot(),
        `--datadir=${join(this.folder, 'data')}`,
        `--socket=${join(this.folder, 'socket')}`,
        `--pid-file=${join(this.folder, 'pid')}`,
        `--log-error=${join(this.folder, 'log')}`,
        `--port=${this.port}`,
        '--bind-address=127.0.0.1',
        '--skip-name-resolve',
        `--server-id=${this.id}`,
        '--log-bin=binlog',
        '--log-slave-updates',
        '--innodb-buffer-pool-size=32M',
        '--innodb-log-file-size=16M',
        '--innodb-flush-log-at-trx-commit=0',
        ...options,
      ],
      { stdio: 'ignore' },
    );
    while (!(await this.answers())) {
      if (this.process.exitCode !== null) throw new Error(await readFile(join(this.folder, 'log'), 'utf8'));
      await sleep(50);
    }
  }

  /** Runs statements as root, who may write even while the server is read-only. */
  async run<Rows = unknown>(...statements: string[]): Promise<Rows> {
    const connection = await this.connect();
    try {
      let rows: unknown;
      for (const statement of statements) [rows] = await connection.query(statement);
      return rows as Rows;
    } finally {
      await connection.end();
    }
  }

  async kill(): Promise<void> {
    const { process } = this;
    if (process?.exitCode !== null || process.signalCode !== null) return;
    const exited = once(process, 'exit');
    process.kill('SIGKILL');
    await exited;
  }

  private connect(): Promise<Connection> {
    return createConnection({ host: '127.0.0.1', port: this.port, user: 'root' });
  }

  private async answers(): Promise<boolean> {
    try {
      await (await this.connect()).end();
      return true;
    } catch {
      return false;
    }
  }
}

/** Servers refuse to run as root unless configured to. */
const asRoot = (): string[] => (process.getuid?.() === 0 ? ['--user=root'] : []);
