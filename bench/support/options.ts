import { parseArgs } from 'node:util';

const SCENARIOS = ['list', 'add', 'live', 'scale', 'start', 'issues', 'edge'] as const;
const DATABASES = ['sqlite', 'server'] as const;

export type ScenarioName = (typeof SCENARIOS)[number];
export type DatabaseName = (typeof DATABASES)[number];

/** The amount of data to seed, and the duration of the load on each server. */
export interface Sizes {
  /** Comments of pull requests in the scenarios against the limit. */
  comments: number;
  users: number;
  smallThread: number;
  largeThread: number;
  /** Number of rounds per server; the result is their median. */
  rounds: number;
  roundSeconds: number;
  warmUpSeconds: number;
  scaleRounds: number;
  scaleSeconds: number;
  starts: number;
}

/** The databases to measure, and the server. */
export interface DatabaseOptions {
  databases: DatabaseName[];
  /** A server on which databases may be created; undefined = no server is measured. */
  serverUrl: string | undefined;
}

export interface Options extends DatabaseOptions {
  sizes: Sizes;
  /** Undefined = all but `issues` and `edge`, which have tables of their own. */
  only: ScenarioName | undefined;
  /** Exit with 1 when a target is missed. */
  strict: boolean;
  /** File for the tables, as markdown. */
  report: string | undefined;
}

const FULL: Sizes = {
  comments: 200_000,
  users: 500,
  smallThread: 10_000,
  largeThread: 1_000_000,
  rounds: 5,
  roundSeconds: 5,
  warmUpSeconds: 3,
  scaleRounds: 7,
  scaleSeconds: 1,
  starts: 5,
};

const QUICK: Sizes = {
  comments: 20_000,
  users: 100,
  smallThread: 1000,
  largeThread: 50_000,
  rounds: 3,
  roundSeconds: 1,
  warmUpSeconds: 1,
  scaleRounds: 3,
  scaleSeconds: 1,
  starts: 1,
};

/** Reads the command line and the server's address. @throws Error for an unknown value */
export function readOptions(args: string[], environment: NodeJS.ProcessEnv): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      only: { type: 'string' },
      database: { type: 'string' },
      report: { type: 'string' },
    },
  });
  return {
    sizes: values.quick ? QUICK : FULL,
    only: oneOf(SCENARIOS, 'only', values.only),
    ...databasesOf(values.database, environment),
    strict: values.strict,
    report: values.report,
  };
}

/** @param chosen one database; undefined = all that are available. @throws Error for an unknown one, or a server that is not set */
export function databasesOf(chosen: string | undefined, environment: NodeJS.ProcessEnv): DatabaseOptions {
  const serverUrl = environment.BENCH_DATABASE_URL ?? environment.TEST_DATABASE_URL;
  const database = oneOf(DATABASES, 'database', chosen);
  if (database === 'server' && !serverUrl) throw new Error('--database=server needs BENCH_DATABASE_URL.');
  const available = DATABASES.filter((name) => name === 'sqlite' || serverUrl);
  return { databases: database ? [database] : available, serverUrl };
}

function oneOf<Name extends string>(
  names: readonly Name[],
  option: string,
  value: string | undefined,
): Name | undefined {
  if (value === undefined) return undefined;
  const name = names.find((candidate) => candidate === value);
  if (!name) throw new Error(`--${option} must be one of ${names.join(', ')}.`);
  return name;
}
