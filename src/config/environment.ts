import { accessSync, constants, existsSync } from 'node:fs';
import { parseServerUrl } from './server-url';
import { type Rule, type Setting } from './setting-rules';
import { SETTINGS } from './settings';
import { isOnThisMachine, parseSmtpUrl, type SmtpServer } from './smtp-url';
import { type BucketLocation, type FolderLocation, parseStorageUrl } from './storage-url';
import { parseVendorAccountAlias } from './vendor-account-alias';

/** Minimum number of seconds by which a lease must outlast an attempt. */
const MIN_LEASE_REST = 5;

/** Minimum address space of a git process, in bytes: less does not suffice for the packs that git maps. */
const MIN_GIT_MEMORY = 256 * 1024 * 1024;

/** Maximum size of an object that S3 accepts in one request, in bytes. */
const MAX_OBJECT_SIZE = 5 * 1024 ** 3;

type Settings = typeof SETTINGS;
type Values = {
  readonly [Name in keyof Settings]: Settings[Name] extends Rule<infer Value> ? Value : never;
};
/** The names of the settings that have a default. All others may be undefined. */
type Defaulted = {
  [Name in keyof Settings]: Settings[Name] extends { default: string } ? Name : never;
}[keyof Settings];
type SettingValues = Pick<Values, Defaulted> & Partial<Pick<Values, Exclude<keyof Values, Defaulted>>>;

const RULES: [name: string, setting: Setting][] = Object.entries(SETTINGS);

// oxlint-disable-next-line typescript/no-extraneous-class -- Its type comes from the table.
class Defaults {
  constructor() {
    for (const [name, { default: text, read }] of RULES) {
      if (text !== undefined) Object.assign(this, { [name]: read(text) });
    }
  }
}

/** The values of all settings (`src/config/settings.ts`), read once from environment variables. No other code reads `process.env`. */
export class Environment extends (Defaults as new () => SettingValues) {
  /** Whether metrics are collected and served. */
  get hasMetrics(): boolean {
    return this.METRICS_PORT !== undefined || this.METRICS_TOKEN !== undefined;
  }

  /** Whether traces are recorded and sent. */
  get hasTraces(): boolean {
    const { OTEL_TRACES_EXPORTER: exporter } = this;
    return exporter === undefined ? this.tracesEndpoint !== undefined : exporter !== 'none';
  }

  /** Address at which the collector accepts traces; undefined = OpenTelemetry's default. */
  get tracesEndpoint(): string | undefined {
    const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = this;
    return (
      this.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ??
      (endpoint === undefined ? undefined : `${endpoint.replace(/\/$/, '')}/v1/traces`)
    );
  }

  /** The second name of the vendor account of users, and of its id; undefined = none. */
  get vendorAccountAlias(): { name: string; idName: string } | undefined {
    return this.VENDOR_ACCOUNT_ALIAS === undefined
      ? undefined
      : parseVendorAccountAlias(this.VENDOR_ACCOUNT_ALIAS);
  }

  /** Search path for programs, from PATH. */
  get searchPath(): string {
    return process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin';
  }

  /** Whether DATABASE_URL refers to the embedded database. */
  get isEmbeddedDatabase(): boolean {
    return this.DATABASE_URL.startsWith('sqlite:');
  }

  /** The scheme that the service itself serves. */
  get scheme(): 'http' | 'https' {
    return this.TLS_CERT === undefined ? 'http' : 'https';
  }

  /** Returns the address of the service without a path, for users: `PUBLIC_URL`, or where it listens. */
  origin(port = this.PORT): string {
    const host = ['0.0.0.0', '::'].includes(this.HOST) ? 'localhost' : this.HOST;
    return (
      this.PUBLIC_URL?.replace(/\/$/, '') ??
      `${this.scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
    );
  }

  /** Returns the address of a page for users, such as `/view/DEMO-1`. */
  webUrl(path: string): string {
    return `${this.origin()}${path}`;
  }

  /** The name of the database, without host, user or password. */
  get databaseName(): string {
    return this.isEmbeddedDatabase
      ? this.DATABASE_URL.slice('sqlite:'.length)
      : (parseServerUrl(this.DATABASE_URL)?.database ?? '');
  }

  /** The mail server that sends letters, and their sender; undefined if no mail is sent. */
  get mail(): { server: SmtpServer; from: string } | undefined {
    const server = this.SMTP_URL === undefined ? undefined : parseSmtpUrl(this.SMTP_URL);
    return server && this.MAIL_FROM !== undefined ? { server, from: this.MAIL_FROM } : undefined;
  }

  /** The parsed STORAGE_URL. */
  get storageLocation(): FolderLocation | BucketLocation {
    return parseStorageUrl(this.STORAGE_URL) as FolderLocation | BucketLocation;
  }

  /** Whether the first start loads the demo project (`docs/decisions/0002-start-and-embedded-database.md#the-first-start`). */
  get loadsDemoData(): boolean {
    return this.DEMO_DATA ?? this.isEmbeddedDatabase;
  }
}

/** Lists the invalid settings, one problem per line. */
export class EnvironmentError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'));
  }
}

/**
 * Returns the settings of this process: its environment, completed by the file `.env` of the working directory.
 * @param others settings that take precedence
 * @throws EnvironmentError listing every problem
 */
export function readSettings(others: Record<string, string> = {}): Environment {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readEnvironment({ ...process.env, ...others });
}

/**
 * Reads the settings; an empty variable counts as unset.
 * @throws EnvironmentError listing every problem
 */
export function readEnvironment(variables: Record<string, string | undefined> = process.env): Environment {
  // The process's other variables do not belong to the service, and must not get into its log.
  const given = RULES.flatMap(([name, setting]) => {
    const text = variables[name];
    return text === undefined || text === '' ? [] : [{ name, setting, value: setting.read(text) }];
  });
  const values = Object.fromEntries(given.map(({ name, value }) => [name, value]));
  const environment = Object.assign(new Environment(), values);
  const problems = given
    .filter(({ setting, value }) => !setting.isValid(value))
    .map(({ name, setting }) => `${name} must be ${setting.what}`);
  if (environment.WEBHOOK_LEASE < environment.WEBHOOK_TIMEOUT + MIN_LEASE_REST) {
    problems.push(`WEBHOOK_LEASE must be at least WEBHOOK_TIMEOUT plus ${MIN_LEASE_REST} seconds`);
  }
  if ((environment.TLS_CERT === undefined) !== (environment.TLS_KEY === undefined)) {
    const [given, missing] = environment.TLS_CERT === undefined ? ['KEY', 'CERT'] : ['CERT', 'KEY'];
    problems.push(`TLS_${missing} must be set as well, because TLS_${given} is`);
  }
  if (environment.METRICS_PORT === environment.PORT && environment.PORT !== 0) {
    problems.push(
      'METRICS_PORT must not be PORT: leave it unset and set METRICS_TOKEN to serve metrics there',
    );
  }
  if (environment.UPLOAD_TIMEOUT < environment.HEADERS_TIMEOUT) {
    problems.push('UPLOAD_TIMEOUT must be at least HEADERS_TIMEOUT');
  }
  if (environment.GIT_MEMORY > 0 && environment.GIT_MEMORY < MIN_GIT_MEMORY) {
    problems.push(`GIT_MEMORY must be at least ${MIN_GIT_MEMORY} (256 MiB), or 0 for no limit`);
  }
  problems.push(...storageProblems(environment), ...mailProblems(environment));
  if (problems.length > 0) throw new EnvironmentError(problems);
  return environment;
}

/** Returns the problems of missing bucket settings. */
function storageProblems(environment: Environment): string[] {
  if (parseStorageUrl(environment.STORAGE_URL)?.type !== 'bucket') return [];
  const missing = (['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const)
    .filter((name) => environment[name] === undefined)
    .map((name) => `${name} is required with files on S3`);
  return environment.MAX_FILE_SIZE > MAX_OBJECT_SIZE
    ? [...missing, `MAX_FILE_SIZE must be at most ${MAX_OBJECT_SIZE} (5 GiB) with files on S3`]
    : missing;
}

/** Returns the problems of settings of mail that do not fit together. */
function mailProblems({
  SMTP_URL,
  MAIL_FROM,
  PUBLIC_URL,
  SMTP_TIMEOUT,
  WEBHOOK_LEASE,
}: Environment): string[] {
  if ((SMTP_URL === undefined) !== (MAIL_FROM === undefined)) {
    const [given, missing] = SMTP_URL === undefined ? ['MAIL_FROM', 'SMTP_URL'] : ['SMTP_URL', 'MAIL_FROM'];
    return [`${missing} must be set as well, because ${given} is`];
  }
  const server = SMTP_URL === undefined ? undefined : parseSmtpUrl(SMTP_URL);
  if (!server) return [];
  const problems: string[] = [];
  const { authorityFile } = server;
  if (authorityFile !== undefined && !isReadable(authorityFile)) {
    problems.push(`The file ${authorityFile} of SMTP_URL cannot be read`);
  }
  if (PUBLIC_URL === undefined && !isOnThisMachine(server)) {
    problems.push(
      'PUBLIC_URL must be set as well, because SMTP_URL is: letters contain links to the service',
    );
  }
  if (WEBHOOK_LEASE < SMTP_TIMEOUT + MIN_LEASE_REST) {
    problems.push(`WEBHOOK_LEASE must be at least SMTP_TIMEOUT plus ${MIN_LEASE_REST} seconds`);
  }
  return problems;
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether `npx` has started this program, through a shell that forwards no signals. */
export const isStartedByNpx = (variables: Record<string, string | undefined> = process.env): boolean =>
  variables.npm_lifecycle_event === 'npx' &&
  /\b(?:pms|project-management-service)\b/.test(variables.npm_lifecycle_script ?? '');

/** Returns the API keys of a source of `pms import`: secrets of one call, and no settings of the service. */
export const readSourceKeys = (variables: Record<string, string | undefined> = process.env): string[] =>
  (variables.PMS_SOURCE_KEY ?? '').split(/[\s,]+/).filter((key) => key !== '');
