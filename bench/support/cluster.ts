import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { type Workspace } from './workspace';
import { type Random } from './random';

const SCRIPT = join('scripts', 'engines', 'galera.sh');
const START_TIMEOUT_MS = 5 * 60_000;
const LONGEST_LIFE_MS = 400;
const LONGEST_DEATH_MS = 2000;

/** The Galera cluster that `scripts/engines/galera.sh` starts. */
export class Cluster {
  private constructor(private readonly urls: readonly string[]) {}

  /** Starts the cluster unless it is running; a cluster started here stops with the workspace. */
  static async start(workspace: Workspace): Promise<Cluster> {
    const output = await galera('start');
    if (!output.includes('already')) {
      workspace.defer(async () => {
        await galera('stop');
      });
    }
    const urls = (await galera('urls')).split('\n').filter((line) => line.startsWith('mariadb://'));
    return new Cluster(urls);
  }

  /** URL of a node on which databases can be created. */
  get serverUrl(): string {
    return this.urls[0] as string;
  }

  /** URLs of all nodes. */
  get nodeUrls(): readonly string[] {
    return this.urls;
  }

  /** Returns the `DATABASE_URL` of a process, which prefers the node at its position; the others follow in order. */
  urlFrom(position: number, name: string): string {
    const hosts = this.urls.map((url) => new URL(url).host);
    const ordered = hosts.map((_host, index) => hosts[(position + index) % hosts.length]);
    return `mariadb://root@${ordered.join(',')}/${name}`;
  }

  /** Kills a node at a random moment, and starts it again a little later. */
  async killOne(random: Random): Promise<void> {
    const node = String(random.integer(1, this.urls.length));
    await sleep(random.integer(0, LONGEST_LIFE_MS));
    await galera('kill', node);
    await sleep(random.integer(0, LONGEST_DEATH_MS));
    await galera('start-node', node);
  }

  /** Returns the tables whose rows differ between the nodes. */
  async differences(name: string): Promise<string[]> {
    const nodes = await Promise.all(this.urls.map((url) => checksums(url, name)));
    const tables = new Set(nodes.flatMap((node) => [...node.keys()]));
    return [...tables]
      .filter((table) => new Set(nodes.map((node) => node.get(table))).size > 1)
      .map((table) => `rows of ${table} differ between nodes`);
  }
}

async function galera(...parameters: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(SCRIPT, parameters, { timeout: START_TIMEOUT_MS });
  return stdout;
}

/** Returns the checksum of every table, once the node has applied the commits of the others. */
async function checksums(url: string, name: string): Promise<Map<string, string>> {
  const connection = await createConnection(url);
  try {
    await connection.query('SET SESSION wsrep_sync_wait = 1');
    const [tables] = await connection.query<RowDataPacket[]>(
      `SELECT table_name AS name FROM information_schema.tables
        WHERE table_schema = ? AND table_type = 'BASE TABLE'`,
      [name],
    );
    // `CHECKSUM TABLE` itself does not wait.
    await connection.query(`SELECT 1 FROM ${name}.space`);
    const list = tables.map((table) => `${name}.${String(table.name)}`).join(', ');
    const [rows] = await connection.query<RowDataPacket[]>(`CHECKSUM TABLE ${list}`);
    return new Map(rows.map((row) => [String(row.Table), String(row.Checksum)]));
  } finally {
    await connection.end();
  }
}
