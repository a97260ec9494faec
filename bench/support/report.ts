import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { createDataSource } from '../../src/database/connections/data-source';
import { describeEngine } from '../../src/database/connections/engine';
import { type DatabaseOptions } from './options';

/** The run whose tables are reported. */
export interface Run extends DatabaseOptions {
  /** Name of the benchmark's script in `package.json`. */
  script: string;
  /** Other measured programs with their versions. */
  programs?: readonly string[];
  /** File for the tables, from `--report`; undefined = they are only printed. */
  file: string | undefined;
}

const GIB = 1024 ** 3;

/** Prints the tables of a run. With a file, also writes them there, below the date, the command, the machine and the versions. */
export async function report(tables: string, run: Run): Promise<void> {
  console.log(`\n${tables}`);
  if (run.file === undefined) return;
  await writeFile(run.file, `${await headerOf(run)}\n${tables}`);
}

async function headerOf(run: Run): Promise<string> {
  const processors = cpus();
  const programs = [...(await enginesOf(run)), ...(run.programs ?? [])];
  return [
    `# ${run.script}`,
    '',
    `- Date: ${new Date().toISOString().slice(0, 10)}`,
    `- Command: \`${commandOf(run.script)}\``,
    `- Machine: ${processors.length} × ${processors[0]?.model ?? process.arch}, ${Math.round(totalmem() / GIB)} GiB of memory`,
    `- Node.js: ${process.versions.node}`,
    ...(process.env.BENCH_PACKAGE ? ['- Service: the package'] : []),
    `- Measured with: ${programs.join(', ')}`,
    '',
  ].join('\n');
}

function commandOf(script: string): string {
  const parameters = process.argv.slice(2).map(quoted);
  return ['npm run', script, ...(parameters.length > 0 ? ['--', ...parameters] : [])].join(' ');
}

const quoted = (argument: string): string => (argument.includes(' ') ? `"${argument}"` : argument);

async function enginesOf({ databases, serverUrl }: DatabaseOptions): Promise<string[]> {
  const engines: string[] = [];
  for (const database of databases) {
    engines.push(
      await engineAt(database === 'server' && serverUrl ? onServer(serverUrl) : 'sqlite::memory:'),
    );
  }
  return engines;
}

/** Returns the URL of a database that exists on every server. */
function onServer(serverUrl: string): string {
  const url = new URL(serverUrl);
  url.pathname = '/information_schema';
  return url.toString();
}

async function engineAt(url: string): Promise<string> {
  const dataSource = createDataSource({ DATABASE_URL: url, DATABASE_POOL_SIZE: 1 }, []);
  await dataSource.initialize();
  try {
    return await describeEngine(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
