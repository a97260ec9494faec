import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { plainToInstance } from 'class-transformer';
import {
  getMetadataStorage,
  IsIn,
  IsOptional,
  IsUrl,
  Matches,
  ValidateIf,
  validateSync,
} from 'class-validator';
import { isAddressRange } from './address-ranges';
import { isAllowEntry } from './allow-entry';
import { isRedisUrl } from './redis-url';
import { isDatabaseUrl, parseServerUrl } from './server-url';
import {
  type BucketLocation,
  type FolderLocation,
  isStorageUrl,
  parseStorageUrl,
  STORAGE_URL_FORM,
} from './storage-url';
import { parseVendorAccountAlias } from './vendor-account-alias';
import {
  IsFlag,
  IsIntegerBetween,
  IsList,
  IsNumberBetween,
  IsNumberListBetween,
  IsSwitch,
  IsText,
  IsOriginsSetting,
  IsTrustProxySetting,
} from './setting-decorators';

const LOG_FORMATS = ['auto', 'json', 'pretty'] as const;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const TRACES_EXPORTERS = ['otlp', 'console', 'none'] as const;
const COLLECTOR_PROTOCOLS = ['http/protobuf', 'http/json'] as const;
const COLLECTOR_URL = { require_tld: false, protocols: ['http', 'https'], require_protocol: true };

/** Maximum limit of requests per minute. */
const MAX_RATE = 10_000_000;

/** Minimum number of seconds by which a lease must outlast an attempt. */
const MIN_LEASE_REST = 5;

/** Minimum address space of a git process, in bytes: less does not suffice for the packs that git maps. */
const MIN_GIT_MEMORY = 256 * 1024 * 1024;

/** Maximum size of an object that S3 accepts in one request, in bytes. */
const MAX_OBJECT_SIZE = 5 * 1024 ** 3;

/**
 * Every setting of the service, read once from environment variables at startup; `.env.example` describes them for operators. No
 * other code reads `process.env`.
 */
export class Environment {
  /** TCP port; 0 selects a free one. */
  @IsIntegerBetween(0, 65_535)
  readonly PORT: number = 3000;

  /** Address to listen on. */
  @Matches(/^\S+$/, { message: '$property must be an address such as 127.0.0.1 or ::' })
  readonly HOST: string = '127.0.0.1';

  /** Path prefix of every operation; `/` for none. */
  @Matches(/^\/$|^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/, {
    message: '$property must be a path such as /api/v2',
  })
  readonly BASE_PATH: string = '/api/v2';

  /** Address at which users and clients reach the service, without BASE_PATH; unset = where the request came in. */
  @IsOptional()
  @IsUrl(
    { require_tld: false, protocols: ['http', 'https'], require_protocol: true },
    { message: '$property must be an http or https URL' },
  )
  readonly PUBLIC_URL?: string;

  /** Second name of the vendor account of users, and the name of its id there, such as `otherAccount:otherId`; unset = none. */
  @IsOptional()
  @IsText(
    (text) => parseVendorAccountAlias(text) !== undefined,
    'two names such as otherAccount:otherId that are not fields of users already',
  )
  readonly VENDOR_ACCOUNT_ALIAS?: string;

  /** `sqlite:PATH`, `sqlite::memory:`, `mysql://…` or `mariadb://…` (`ServerUrl`). */
  @IsText(
    isDatabaseUrl,
    'sqlite:PATH, sqlite::memory:, or mysql://USER:PASSWORD@HOST[,HOST…]/NAME or mariadb://… ' +
      'with no other options than ?ssl=true, ?ssl-ca=FILE and ?wsrep-sync-wait=1',
  )
  readonly DATABASE_URL: string = 'sqlite:./data/service.db';

  /** Number of connections to a MySQL or MariaDB server. */
  @IsIntegerBetween(1, 1000)
  readonly DATABASE_POOL_SIZE: number = 10;

  /**
   * Maximum time of a statement on a MySQL or MariaDB server, and of a transaction as a whole, in seconds. On the embedded
   * database: maximum wait of a write for its turn, 5 at most.
   */
  @IsNumberBetween(0.1, 3600)
  readonly DATABASE_STATEMENT_TIMEOUT: number = 10;

  /** Maximum time of a text search, in seconds. */
  @IsNumberBetween(0.1, 3600)
  readonly SEARCH_TIMEOUT: number = 20;

  /**
   * Redis through which processes wake each other and count the requests of users together: `redis://…` or `rediss://…`; unset =
   * they poll, and each counts separately. Stores nothing that lasts longer than a minute.
   */
  @IsOptional()
  @IsText(isRedisUrl, 'redis://USER:PASSWORD@HOST:PORT or rediss://…')
  readonly REDIS_URL?: string;

  /** Location of stored files: `file:PATH` or `s3://…` (`BucketLocation`). */
  @IsText(isStorageUrl, STORAGE_URL_FORM)
  readonly STORAGE_URL: string = 'file:./data/files';

  /** The access key of the bucket, under the name that operators know. */
  @IsOptional()
  @Matches(/^[\x21-\x7e]{1,255}$/, { message: '$property must be visible ASCII characters' })
  readonly AWS_ACCESS_KEY_ID?: string;

  /** The secret of the access key. */
  @IsOptional()
  @Matches(/^[\x21-\x7e]{1,255}$/, { message: '$property must be visible ASCII characters' })
  readonly AWS_SECRET_ACCESS_KEY?: string;

  /** Maximum size of an uploaded file, in bytes. */
  @IsIntegerBetween(1, Number.MAX_SAFE_INTEGER)
  readonly MAX_FILE_SIZE: number = 10 * 1024 * 1024;

  /** Git, version 2.38 or later: a file, or a name resolved like in a shell; without it, repositories are only names. */
  @Matches(/^\S+$/, { message: '$property must be a path without spaces, or a name' })
  readonly GIT_PATH: string = 'git';

  /** The folder of the git repositories. */
  @Matches(/\S/, { message: '$property must be a folder' })
  readonly GIT_ROOT: string = './data/git';

  /** Maximum size of a pushed pack, in bytes; 0 = no limit. */
  @IsIntegerBetween(0, Number.MAX_SAFE_INTEGER)
  readonly MAX_PUSH_SIZE: number = 1024 * 1024 * 1024;

  /** Maximum time of a clone, a fetch or a push, in seconds. */
  @IsNumberBetween(1, 86_400)
  readonly GIT_TIMEOUT: number = 3600;

  /** Concurrent git processes in this process, in three shares: transfers, reads and merges, and the service's own work. */
  @IsIntegerBetween(1, 1000)
  readonly GIT_PROCESSES: number = 32;

  /** Concurrent git processes of one user in each share. */
  @IsIntegerBetween(1, 1000)
  readonly GIT_PROCESSES_PER_USER: number = 4;

  /** Maximum address space of a git process, in bytes; 0 = no limit. */
  @IsIntegerBetween(0, Number.MAX_SAFE_INTEGER)
  readonly GIT_MEMORY: number = 1024 * 1024 * 1024;

  /** Maximum CPU time of a git process that works for a user, in seconds. */
  @IsIntegerBetween(1, 86_400)
  readonly GIT_CPU_TIME: number = 900;

  /** Minimum rate at which a client sends or receives what git transfers, in bytes per second; 0 = no minimum. */
  @IsIntegerBetween(0, Number.MAX_SAFE_INTEGER)
  readonly GIT_MIN_RATE: number = 1024;

  /** How long a client may stay below that rate, in seconds. */
  @IsNumberBetween(0.1, 3600)
  readonly GIT_MIN_RATE_TIME: number = 30;

  /** Encrypts and decrypts backups; unset = backups are not encrypted, or the passphrase is prompted for. */
  @IsOptional()
  readonly BACKUP_PASSPHRASE?: string;

  /** Maximum total size of all files, in bytes; 0 = no limit. */
  @IsIntegerBetween(0, Number.MAX_SAFE_INTEGER)
  readonly SPACE_CAPACITY: number = 0;

  /** Key of the space created by the first start, 3 to 10 characters; unset = `space`. Ignored by later starts. */
  @IsOptional()
  @IsText(
    (text) => /^[A-Za-z\d](?:[A-Za-z\d-]{1,8})[A-Za-z\d]$/.test(text),
    '3 to 10 letters, digits or hyphens, without a hyphen at either end',
  )
  readonly SPACE_KEY?: string;

  /** Name of the space created by the first start; unset = `Space`. Ignored by later starts. */
  @IsOptional()
  @IsText(
    (text) => /^\S(?:.{0,253}\S)?$/u.test(text),
    'text of 1 to 255 characters, without spaces at either end',
  )
  readonly SPACE_NAME?: string;

  /** API key of the administrator created by the first start; unset = a random one. */
  @IsOptional()
  @Matches(/^[\x21-\x7e]{32,255}$/, { message: '$property must be 32 to 255 visible ASCII characters' })
  readonly ADMIN_API_KEY?: string;

  /** Whether the first start loads the demo project; unset = only on the embedded database. */
  @ValidateIf((environment: Environment) => environment.DEMO_DATA !== undefined)
  @IsFlag()
  readonly DEMO_DATA?: boolean;

  /**
   * Keys for the secrets in the database: 32 bytes each in base64, separated by commas; the first encrypts, all decrypt. Unset =
   * one in a file beside the embedded database; required for a server database.
   */
  @IsOptional()
  @Matches(/^[A-Za-z0-9+/]{43}=(,[A-Za-z0-9+/]{43}=)*$/, {
    message: '$property must be 32 bytes in base64, or several separated by commas',
  })
  readonly ENCRYPTION_KEY?: string;

  /** Whether startup discards secrets whose key is lost and gives their webhooks new ones, instead of failing. */
  @IsFlag()
  readonly REPLACE_LOST_SECRETS: boolean = false;

  /** Non-public targets that webhooks may be sent to: hosts, host:port, CIDR ranges; separated by commas. */
  @IsList(isAllowEntry, 'hosts, host:port and CIDR ranges, without wildcards')
  readonly WEBHOOK_ALLOW: readonly string[] = [];

  /** Maximum time of one attempt, from connecting to the end of the response, in seconds. */
  @IsNumberBetween(1, 300)
  readonly WEBHOOK_TIMEOUT: number = 15;

  /** Maximum number of bytes of a response that are stored. */
  @IsIntegerBetween(0, 1_048_576)
  readonly WEBHOOK_RESPONSE_LIMIT: number = 16_384;

  /** Seconds between attempts; there is one attempt more than delays. */
  @IsNumberListBetween(0, 604_800)
  readonly WEBHOOK_RETRY_DELAYS: readonly number[] = [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400];

  /** Random variation of a delay in both directions, in percent. */
  @IsNumberBetween(0, 100)
  readonly WEBHOOK_RETRY_JITTER: number = 20;

  /** Concurrent attempts in this process. */
  @IsIntegerBetween(1, 10_000)
  readonly WEBHOOK_CONCURRENCY: number = 256;

  /** Concurrent attempts for one webhook in this process. */
  @IsIntegerBetween(1, 1000)
  readonly WEBHOOK_ENDPOINT_CONCURRENCY: number = 8;

  /** How long a process may hold a delivery before another may take it, in seconds; must exceed WEBHOOK_TIMEOUT. */
  @IsNumberBetween(2, 3600)
  readonly WEBHOOK_LEASE: number = 60;

  /** Interval of the search for due deliveries that were not signalled, in milliseconds. */
  @IsIntegerBetween(10, 60_000)
  readonly WEBHOOK_POLL_INTERVAL: number = 1000;

  /** Number of consecutive failures after which a webhook is paused. */
  @IsIntegerBetween(1, 1000)
  readonly WEBHOOK_CIRCUIT_FAILURES: number = 5;

  /** Length of each successive pause while attempts keep failing, in seconds; the last one repeats. */
  @IsNumberListBetween(0, 86_400)
  readonly WEBHOOK_CIRCUIT_PAUSES: readonly number[] = [60, 120, 240, 480, 960, 1920, 3600];

  /** Hours of uninterrupted failures after which a webhook is disabled. */
  @IsNumberBetween(0.0001, 8760)
  readonly WEBHOOK_DISABLE_AFTER: number = 120;

  /** Retention of deliveries, in days. */
  @IsNumberBetween(0.0001, 3650)
  readonly WEBHOOK_RETENTION: number = 30;

  /** Hours for which an old secret still signs after a rotation, for up to ten of them. */
  @IsNumberBetween(0, 8760)
  readonly WEBHOOK_SECRET_OVERLAP: number = 24;

  /** Proxies in front of the service whose `X-Forwarded-For` is trusted: their number, or their addresses and CIDR ranges; 0 = none. */
  @IsTrustProxySetting()
  readonly TRUST_PROXY: number | readonly string[] = 0;

  /** Addresses and CIDR ranges of allowed clients; empty = all are allowed. */
  @IsList(isAddressRange, 'addresses and CIDR ranges')
  readonly ALLOWED_ADDRESSES: readonly string[] = [];

  /** Origins whose pages may use the service from a browser; * = any, none = no page of another origin. */
  @IsOriginsSetting()
  readonly CORS_ORIGINS: readonly string[] = ['*'];

  /** Whether the requests of each user are limited per minute, by the four settings below. */
  @IsSwitch()
  readonly RATE_LIMIT: boolean = true;

  /** Reading requests of one user per minute that are in none of the classes below. */
  @IsIntegerBetween(1, MAX_RATE)
  readonly RATE_LIMIT_READ: number = 600;

  /** Writing requests of one user per minute. */
  @IsIntegerBetween(1, MAX_RATE)
  readonly RATE_LIMIT_UPDATE: number = 150;

  /** Requests of one user per minute that list or count issues, wiki pages or documents. */
  @IsIntegerBetween(1, MAX_RATE)
  readonly RATE_LIMIT_SEARCH: number = 150;

  /** Requests of one user per minute for the icons of the space, users, projects and teams. */
  @IsIntegerBetween(1, MAX_RATE)
  readonly RATE_LIMIT_ICON: number = 60;

  /** Concurrent requests of one user in this process; 0 = no limit. */
  @IsIntegerBetween(0, 100_000)
  readonly MAX_USER_REQUESTS: number = 32;

  /** Open connections of one user to this process; 0 = no limit. */
  @IsIntegerBetween(0, 100_000)
  readonly MAX_USER_CONNECTIONS: number = 500;

  /** Connections of one client address without a valid API key so far; 0 = no limit. */
  @IsIntegerBetween(0, 100_000)
  readonly MAX_UNAUTHENTICATED_CONNECTIONS: number = 64;

  /** Wrong API keys per minute from one client address; 0 = no limit. */
  @IsIntegerBetween(0, 1_000_000)
  readonly MAX_FAILED_KEYS: number = 20;

  /** Password changes per minute by one user; 0 = no limit. */
  @IsIntegerBetween(0, 1_000_000)
  readonly MAX_PASSWORD_CHANGES: number = 5;

  /** Concurrent password hashes in this process, each on one of Node's four threads for files and names. */
  @IsIntegerBetween(1, 64)
  readonly PASSWORD_HASH_CONCURRENCY: number = 2;

  /** Uploaded files of one user that are not attached yet; 0 = no limit. */
  @IsIntegerBetween(0, 1_000_000)
  readonly MAX_UNATTACHED_FILES: number = 100;

  /** Total size of those files, in bytes; 0 = no limit. */
  @IsIntegerBetween(0, Number.MAX_SAFE_INTEGER)
  readonly MAX_UNATTACHED_BYTES: number = 200 * 1024 * 1024;

  /** Retention of audit log entries, in days; 0 = unlimited. */
  @IsIntegerBetween(0, 36_500)
  readonly AUDIT_LOG_DAYS: number = 400;

  /** Retention of activities, in days; 0 = unlimited. An activity stays at least as long as its deliveries. */
  @IsIntegerBetween(0, 36_500)
  readonly ACTIVITY_DAYS: number = 0;

  /** Retention of notifications, in days; 0 = unlimited. */
  @IsIntegerBetween(0, 36_500)
  readonly NOTIFICATION_DAYS: number = 0;

  /** Users who have not left. */
  @IsIntegerBetween(1, 100_000)
  readonly MAX_USERS: number = 5000;

  /** Projects that are not deleted. */
  @IsIntegerBetween(1, 100_000)
  readonly MAX_PROJECTS: number = 5000;

  /** Teams of the space. */
  @IsIntegerBetween(1, 5000)
  readonly MAX_TEAMS: number = 500;

  /** Members of one team; a change of a team writes them in each of its projects. */
  @IsIntegerBetween(1, 1000)
  readonly MAX_TEAM_MEMBERS: number = 200;

  /** Projects of one team. */
  @IsIntegerBetween(1, 1000)
  readonly MAX_TEAM_PROJECTS: number = 100;

  /** Teams of one project. */
  @IsIntegerBetween(1, 1000)
  readonly MAX_PROJECT_TEAMS: number = 50;

  /** API keys of one user. */
  @IsIntegerBetween(1, 1000)
  readonly MAX_API_KEYS: number = 100;

  /** Files of one issue, pull request, wiki page or document, whose response includes them all. */
  @IsIntegerBetween(1, 1000)
  readonly MAX_ATTACHED_FILES: number = 100;

  /** Issue types of one project; a new one has three. */
  @IsIntegerBetween(3, 5000)
  readonly MAX_ISSUE_TYPES: number = 100;

  /** Statuses of one project, including the four standard ones; a list that orders them has at most 1,000 ids. */
  @IsIntegerBetween(4, 1000)
  readonly MAX_STATUSES: number = 12;

  /** Categories of one project. */
  @IsIntegerBetween(1, 5000)
  readonly MAX_CATEGORIES: number = 500;

  /** Versions of one project. */
  @IsIntegerBetween(1, 5000)
  readonly MAX_VERSIONS: number = 500;

  /** Custom fields of one project, whose issues show them all. */
  @IsIntegerBetween(1, 100)
  readonly MAX_CUSTOM_FIELDS: number = 100;

  /** Items of one custom field. */
  @IsIntegerBetween(1, 200)
  readonly MAX_CUSTOM_FIELD_ITEMS: number = 100;

  /** Wiki pages of one project. */
  @IsIntegerBetween(1, 20_000)
  readonly MAX_WIKI_PAGES: number = 5000;

  /** Documents of one project, including those in the trash; one response contains the whole tree. */
  @IsIntegerBetween(1, 20_000)
  readonly MAX_DOCUMENTS: number = 5000;

  /** Git repositories of one project. */
  @IsIntegerBetween(1, 5000)
  readonly MAX_GIT_REPOSITORIES: number = 100;

  /** Shared files and folders of one project. */
  @IsIntegerBetween(1, 100_000)
  readonly MAX_SHARED_FILES: number = 10_000;

  /** Files and folders directly in one folder of shared files. */
  @IsIntegerBetween(1, 10_000)
  readonly MAX_FOLDER_ENTRIES: number = 1000;

  /** Webhooks of one project; each change writes a delivery for every webhook that subscribes to it. */
  @IsIntegerBetween(1, 1000)
  readonly MAX_WEBHOOKS: number = 100;

  /** Issues that one user watches. */
  @IsIntegerBetween(1, 10_000)
  readonly MAX_WATCHINGS: number = 1000;

  /** Users who watch one issue; each change notifies all of them. */
  @IsIntegerBetween(1, 1000)
  readonly MAX_WATCHERS: number = 500;

  /** Issues that one issue is related to, whose list includes them all. */
  @IsIntegerBetween(1, 1000)
  readonly MAX_RELATED_ISSUES: number = 50;

  /** Minimum level of logged messages. */
  @IsIn(LOG_LEVELS, { message: `$property must be one of ${LOG_LEVELS.join(', ')}` })
  readonly LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'info';

  /** Format of the log: `auto` is `pretty` on a terminal, and `json` elsewhere. */
  @IsIn(LOG_FORMATS, { message: `$property must be one of ${LOG_FORMATS.join(', ')}` })
  readonly LOG_FORMAT: (typeof LOG_FORMATS)[number] = 'auto';

  /** Milliseconds after which a request is logged as slow; 0 = never. */
  @IsIntegerBetween(0, 3_600_000)
  readonly LOG_SLOW_REQUEST: number = 1000;

  /** Separate TCP port for metrics; 0 selects a free one, unset = none. */
  @IsOptional()
  @IsIntegerBetween(0, 65_535)
  readonly METRICS_PORT?: number;

  /** Address on which METRICS_PORT listens. */
  @Matches(/^\S+$/, { message: '$property must be an address such as 127.0.0.1 or ::' })
  readonly METRICS_HOST: string = '127.0.0.1';

  /** Token required to read metrics; without METRICS_PORT they are served on PORT. */
  @IsOptional()
  @IsText((text) => /^[!-~]{16,255}$/.test(text), '16 to 255 visible ASCII characters')
  readonly METRICS_TOKEN?: string;

  /** Destination of traces: `otlp` for a collector, `console` for standard output; unset = a collector, if one is configured. */
  @IsOptional()
  @IsIn(TRACES_EXPORTERS, { message: `$property must be one of ${TRACES_EXPORTERS.join(', ')}` })
  readonly OTEL_TRACES_EXPORTER?: (typeof TRACES_EXPORTERS)[number];

  /** Base address of the collector, to which `/v1/traces` is appended. */
  @IsOptional()
  @IsUrl(COLLECTOR_URL, { message: '$property must be an http or https URL' })
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  /** Exact address at which the collector accepts traces. */
  @IsOptional()
  @IsUrl(COLLECTOR_URL, { message: '$property must be an http or https URL' })
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string;

  /** Protocol of the collector. */
  @IsIn(COLLECTOR_PROTOCOLS, { message: `$property must be ${COLLECTOR_PROTOCOLS.join(' or ')}` })
  readonly OTEL_EXPORTER_OTLP_PROTOCOL: (typeof COLLECTOR_PROTOCOLS)[number] = 'http/protobuf';

  /** Whether webhook requests carry `traceparent`. */
  @IsSwitch()
  readonly WEBHOOK_TRACE_HEADERS: boolean = false;

  /** Maximum time until the headers of a request have arrived, from connecting or from its first byte, in seconds. */
  @IsNumberBetween(0.1, 3600)
  readonly HEADERS_TIMEOUT: number = 10;

  /** Maximum time until the body of a request other than an upload has arrived, in seconds. */
  @IsNumberBetween(0.1, 3600)
  readonly BODY_TIMEOUT: number = 30;

  /** Maximum time until an upload has arrived, from the first byte of its headers, in seconds; at least HEADERS_TIMEOUT. */
  @IsNumberBetween(0.1, 86_400)
  readonly UPLOAD_TIMEOUT: number = 300;

  /** Maximum time without progress while a body is received or a response sent, in seconds. */
  @IsNumberBetween(0.1, 3600)
  readonly PROGRESS_TIMEOUT: number = 30;

  /** How long an idle connection stays open after a response, in seconds. */
  @IsNumberBetween(0.1, 3600)
  readonly KEEP_ALIVE_TIMEOUT: number = 65;

  /** Maximum time of requests under way once shutdown has started, in seconds. */
  @IsNumberBetween(0.1, 3600)
  readonly SHUTDOWN_GRACE: number = 10;

  /** How long the service continues to serve after a signal while reporting that it is not ready, in seconds. */
  @IsNumberBetween(0, 3600)
  readonly SHUTDOWN_DELAY: number = 0;

  /** PEM files of the service's certificate, followed by its chain, and of its private key; unset = plain HTTP. */
  @IsOptional()
  readonly TLS_CERT?: string;

  @IsOptional()
  readonly TLS_KEY?: string;

  /** Memory of responses that the clients of one user have not read yet, in bytes; 0 = no limit. */
  @IsIntegerBetween(0, Number.MAX_SAFE_INTEGER)
  readonly ANSWER_MEMORY_PER_USER: number = 64 * 1024 * 1024;

  /** Same for all users together, in bytes; 0 = no limit. */
  @IsIntegerBetween(0, Number.MAX_SAFE_INTEGER)
  readonly ANSWER_MEMORY: number = 512 * 1024 * 1024;

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

  /** Returns the address of a page for users, such as `/view/DEMO-1`. */
  webUrl(path: string): string {
    const host = this.HOST.includes(':') ? `[${this.HOST}]` : this.HOST;
    const origin = this.PUBLIC_URL?.replace(/\/$/, '') ?? `${this.scheme}://${host}:${this.PORT}`;
    return `${origin}${path}`;
  }

  /** The name of the database, without host, user or password. */
  get databaseName(): string {
    return this.isEmbeddedDatabase
      ? this.DATABASE_URL.slice('sqlite:'.length)
      : (parseServerUrl(this.DATABASE_URL)?.database ?? '');
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

/** Returns the names of all settings, with or without a default. */
export function settingNames(): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Environment, '', true, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))].sort();
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
  const given = Object.fromEntries(
    settingNames().flatMap((name) => {
      const value = variables[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
  const environment = plainToInstance(Environment, given, { exposeDefaultValues: true });
  const problems = validateSync(environment).map(
    (error) => Object.values(error.constraints ?? {})[0] ?? `${error.property} is not valid`,
  );
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
  problems.push(...storageProblems(environment));
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

/** Whether `npx` has started this program, through a shell that forwards no signals. */
export const isStartedByNpx = (variables: Record<string, string | undefined> = process.env): boolean =>
  variables.npm_lifecycle_event === 'npx' &&
  /\b(?:pms|project-management-service)\b/.test(variables.npm_lifecycle_script ?? '');
