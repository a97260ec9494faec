import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { type DatabaseName } from './options';

/** Everything a run leaves behind unless it is undone: processes, databases, folders. */
export class Workspace {
  private readonly undoing: (() => Promise<void>)[] = [];

  private constructor(readonly folder: string) {}

  static async open(): Promise<Workspace> {
    const folder = await mkdtemp(join(tmpdir(), 'project-management-bench-'));
    const workspace = new Workspace(folder);
    workspace.defer(() => rm(folder, { recursive: true, force: true }));
    return workspace;
  }

  /** Registers what undoes something; the last registered is undone first. */
  defer(undo: () => Promise<void>): void {
    this.undoing.push(undo);
  }

  /** Undoes everything, whatever fails on the way. */
  async close(): Promise<void> {
    for (let undo = this.undoing.pop(); undo; undo = this.undoing.pop()) {
      try {
        await undo();
      } catch (error) {
        console.error('Could not clean up:', error);
      }
    }
  }

  /** Makes an empty database and gives its `DATABASE_URL`. */
  async createDatabase(database: DatabaseName, serverUrl: string | undefined): Promise<string> {
    if (database === 'sqlite' || !serverUrl) return `sqlite:${join(this.folder, 'bench.db')}`;
    const name = `pms_bench_${randomBytes(6).toString('hex')}`;
    await onServer(serverUrl, `CREATE DATABASE ${name}`);
    this.defer(() => onServer(serverUrl, `DROP DATABASE IF EXISTS ${name}`));
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    return url.toString();
  }
}

async function onServer(serverUrl: string, statement: string): Promise<void> {
  const url = new URL(serverUrl);
  const connection = await createConnection({
    host: url.hostname,
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    connectTimeout: 5000,
  });
  try {
    await connection.query(statement);
  } finally {
    await connection.end();
  }
}
