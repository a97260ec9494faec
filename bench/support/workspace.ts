import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { type DatabaseName } from './options';

/** Returns the database product of a `DATABASE_URL`. */
export const productOf = (databaseUrl: string): string =>
  databaseUrl.startsWith('sqlite:') ? 'SQLite' : databaseUrl.startsWith('mariadb:') ? 'MariaDB' : 'MySQL';

/** The resources of a run that must be cleaned up: processes, databases, folders. */
export class Workspace {
  private readonly undoing: (() => Promise<void>)[] = [];

  private constructor(readonly folder: string) {}

  static async open(): Promise<Workspace> {
    const folder = await mkdtemp(join(tmpdir(), 'project-management-bench-'));
    const workspace = new Workspace(folder);
    workspace.defer(() => rm(folder, { recursive: true, force: true }));
    return workspace;
  }

  /** Registers a cleanup step; the last registered runs first. */
  defer(undo: () => Promise<void>): void {
    this.undoing.push(undo);
  }

  /** Runs every cleanup step, even if one fails. */
  async close(): Promise<void> {
    for (let undo = this.undoing.pop(); undo; undo = this.undoing.pop()) {
      try {
        await undo();
      } catch (error) {
        console.error('Could not clean up:', error);
      }
    }
  }

  /**
   * Creates an empty database and returns its `DATABASE_URL`.
   * @param file name of the embedded database's file
   */
  async createDatabase(
    database: DatabaseName,
    serverUrl: string | undefined,
    file = 'bench.db',
  ): Promise<string> {
    if (database === 'sqlite' || !serverUrl) return `sqlite:${join(this.folder, file)}`;
    const name = `pms_bench_${randomBytes(6).toString('hex')}`;
    await onServer(serverUrl, `CREATE DATABASE ${name}`);
    this.defer(() => onServer(serverUrl, `DROP DATABASE IF EXISTS ${name}`));
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    return url.toString();
  }
}

/**
 * Runs work in a workspace and cleans up, even when the work fails, is interrupted or takes too long.
 * @param timeout milliseconds after which the process exits with 1
 */
export async function withWorkspace<T>(
  timeout: number,
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const workspace = await Workspace.open();
  const abort = (reason: string): void => {
    console.error(reason);
    void workspace.close().finally(() => process.exit(1));
  };
  const interrupt = (): void => abort('Interrupted.');
  const terminate = (): void => abort('Terminated.');
  const timer = setTimeout(() => abort('It took too long.'), timeout);
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', terminate);
  try {
    return await work(workspace);
  } finally {
    clearTimeout(timer);
    process.removeListener('SIGINT', interrupt);
    process.removeListener('SIGTERM', terminate);
    await workspace.close();
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
