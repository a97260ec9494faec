import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { IsIn, IsOptional, IsUrl, Matches, ValidateIf, validateSync } from 'class-validator';
import { isAllowEntry } from './allow-entry';
import { isRedisUrl } from './redis-url';
import {
  IsFlag,
  IsIntegerBetween,
  IsList,
  IsNumberBetween,
  IsNumberListBetween,
  IsText,
  IsTrustProxySetting,
} from './setting-decorators';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Seconds by which a lease must outlast an attempt. */
const MIN_LEASE_REST = 5;

/**
 * Every setting of the service, read from environment variables once at start; `.env.example` says the same for people.
 * Nothing else reads `process.env`.
 */
export class Environment {
  /** TCP port; 0 takes a free one. */
  @IsIntegerBetween(0, 65_535)
  readonly PORT: number = 3000;

  /** Address to listen on. */
  @Matches(/^\S+$/, { message: '$property must be an address such as 127.0.0.1 or ::' })
  readonly HOST: string = '127.0.0.1';

  /** Path that every operation is under; `/` for none. */
  @Matches(/^\/$|^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/, {
    message: '$property must be a path such as /api/v2',
  })
  readonly BASE_PATH: string = '/api/v2';

  /** Address at which people and clients reach the service, without BASE_PATH; unset = where the request came in. */
  @IsOptional()
  @IsUrl(
    { require_tld: false, protocols: ['http', 'https'], require_protocol: true },
    { message: '$property must be an http or https URL' },
  )
  readonly PUBLIC_URL?: string;

  /** `sqlite:PATH`, `sqlite::memory:`, `mysql://…` or `mariadb://…`. */
  @Matches(/^(sqlite:.+|(mysql|mariadb):\/\/[^/]+\/[^/?]+)/, {
    message: '$property must be sqlite:PATH, sqlite::memory:, mysql://USER:PASSWORD@HOST/NAME or mariadb://…',
  })
  readonly DATABASE_URL: string = 'sqlite:./data/service.db';

  /** Connections to a MySQL or MariaDB server. */
  @IsIntegerBetween(1, 1000)
  readonly DATABASE_POOL_SIZE: number = 10;

  /**
   * How long a statement may take on a MySQL or MariaDB server, and a transaction as a whole, in seconds. On the embedded
   * database: how long a write waits for its turn, 5 at most.
   */
  @IsNumberBetween(0.1, 3600)
  readonly DATABASE_STATEMENT_TIMEOUT: number = 10;

  /** How long a search for words may take, in seconds. */
  @IsNumberBetween(0.1, 3600)
  readonly SEARCH_TIMEOUT: number = 20;

  /** Redis by which processes wake each other: `redis://…` or `rediss://…`; unset = they poll. Nothing is stored there. */
  @IsOptional()
  @IsText(isRedisUrl, 'redis://USER:PASSWORD@HOST:PORT or rediss://…')
  readonly REDIS_URL?: string;

  /** Where files are kept: `file:PATH`. */
  @Matches(/^file:.+/, { message: '$property must be file:PATH' })
  readonly STORAGE_URL: string = 'file:./data/files';

  /** Largest file that may be uploaded, in bytes. */
  @IsIntegerBetween(1, Number.MAX_SAFE_INTEGER)
  readonly MAX_FILE_SIZE: number = 10 * 1024 * 1024;

  /** Bytes that all files together may take; 0 = no limit. */
  @IsIntegerBetween(0, Number.MAX_SAFE_INTEGER)
  readonly SPACE_CAPACITY: number = 0;

  /** API key of the administrator made on the first start; unset = a random one. */
  @IsOptional()
  @Matches(/^[\x21-\x7e]{32,255}$/, { message: '$property must be 32 to 255 visible ASCII characters' })
  readonly ADMIN_API_KEY?: string;

  /** Whether the first start loads the demo project; unset = on the embedded database only. */
  @ValidateIf((environment: Environment) => environment.DEMO_DATA !== undefined)
  @IsFlag()
  readonly DEMO_DATA?: boolean;

  /**
   * Keys that secrets in the database are encrypted with: 32 bytes each in base64, separated by commas; the first encrypts,
   * all decrypt. Unset: one in a file beside the embedded database; a server database needs it.
   */
  @IsOptional()
  @Matches(/^[A-Za-z0-9+/]{43}=(,[A-Za-z0-9+/]{43}=)*$/, {
    message: '$property must be 32 bytes in base64, or several separated by commas',
  })
  readonly ENCRYPTION_KEY?: string;

  /** Whether a start gives up secrets whose key is lost, and gives their webhooks new ones, instead of refusing to start. */
  @IsFlag()
  readonly REPLACE_LOST_SECRETS: boolean = false;

  /** Targets that webhooks may be sent to although they are not public: hosts, host:port, CIDR ranges; commas between. */
  @IsList(isAllowEntry, 'hosts, host:port and CIDR ranges')
  readonly WEBHOOK_ALLOW: readonly string[] = [];

  /** Longest time of one attempt, from connecting to the end of the answer, in seconds. */
  @IsNumberBetween(1, 300)
  readonly WEBHOOK_TIMEOUT: number = 15;

  /** How much of an answer is kept, in bytes. */
  @IsIntegerBetween(0, 1_048_576)
  readonly WEBHOOK_RESPONSE_LIMIT: number = 16_384;

  /** Seconds between an attempt and the next; one attempt more than there are delays. */
  @IsNumberListBetween(0, 604_800)
  readonly WEBHOOK_RETRY_DELAYS: readonly number[] = [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400];

  /** Part of a delay that chance adds or takes away, in percent. */
  @IsNumberBetween(0, 100)
  readonly WEBHOOK_RETRY_JITTER: number = 20;

  /** Attempts under way at once in this process. */
  @IsIntegerBetween(1, 10_000)
  readonly WEBHOOK_CONCURRENCY: number = 256;

  /** Attempts under way at once for one webhook in this process. */
  @IsIntegerBetween(1, 1000)
  readonly WEBHOOK_ENDPOINT_CONCURRENCY: number = 8;

  /** How long a process may hold a delivery before another may take it, in seconds; more than WEBHOOK_TIMEOUT. */
  @IsNumberBetween(2, 3600)
  readonly WEBHOOK_LEASE: number = 60;

  /** How often due deliveries are looked for when nothing has signalled any, in milliseconds. */
  @IsIntegerBetween(10, 60_000)
  readonly WEBHOOK_POLL_INTERVAL: number = 1000;

  /** Failures in a row after which a webhook is left alone for a while. */
  @IsIntegerBetween(1, 1000)
  readonly WEBHOOK_CIRCUIT_FAILURES: number = 5;

  /** How long it is left alone, each time one attempt has failed again, in seconds; the last stays. */
  @IsNumberListBetween(0, 86_400)
  readonly WEBHOOK_CIRCUIT_PAUSES: readonly number[] = [60, 120, 240, 480, 960, 1920, 3600];

  /** Hours of nothing but failures after which a webhook is disabled. */
  @IsNumberBetween(0.0001, 8760)
  readonly WEBHOOK_DISABLE_AFTER: number = 120;

  /** Days that deliveries are kept. */
  @IsNumberBetween(0.0001, 3650)
  readonly WEBHOOK_RETENTION: number = 30;

  /** Hours that an old secret signs along after a rotation, up to ten of them. */
  @IsNumberBetween(0, 8760)
  readonly WEBHOOK_SECRET_OVERLAP: number = 24;

  /**
   * Proxies in front of the service whose `X-Forwarded-For` is believed: how many there are, or their addresses and CIDR
   * ranges; 0 = none.
   */
  @IsTrustProxySetting()
  readonly TRUST_PROXY: number | readonly string[] = 0;

  /** Requests of one user under way at once in this process; 0 = no limit. */
  @IsIntegerBetween(0, 100_000)
  readonly MAX_USER_REQUESTS: number = 32;

  /** Connections of one client address that have not shown a valid API key yet; 0 = no limit. */
  @IsIntegerBetween(0, 100_000)
  readonly MAX_UNAUTHENTICATED_CONNECTIONS: number = 64;

  /** Wrong API keys a minute from one client address; 0 = no limit. */
  @IsIntegerBetween(0, 1_000_000)
  readonly MAX_FAILED_KEYS: number = 20;

  /** Changes of passwords a minute by one user; 0 = no limit. */
  @IsIntegerBetween(0, 1_000_000)
  readonly MAX_PASSWORD_CHANGES: number = 5;

  /** Passwords hashed at once in this process, each on one of Node's four threads for files and names. */
  @IsIntegerBetween(1, 64)
  readonly PASSWORD_HASH_CONCURRENCY: number = 2;

  /** Files of one user that are uploaded and not attached to anything yet; 0 = no limit. */
  @IsIntegerBetween(0, 1_000_000)
  readonly MAX_UNATTACHED_FILES: number = 100;

  /** Bytes that those take; 0 = no limit. */
  @IsIntegerBetween(0, Number.MAX_SAFE_INTEGER)
  readonly MAX_UNATTACHED_BYTES: number = 200 * 1024 * 1024;

  /** How much is logged. */
  @IsIn(LOG_LEVELS, { message: `$property must be one of ${LOG_LEVELS.join(', ')}` })
  readonly LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'info';

  /** Whether a line is logged for every request. */
  @IsFlag()
  readonly LOG_REQUESTS: boolean = false;

  /** Longest time until the head of a request is there, from connecting or from its first byte, in seconds. */
  @IsNumberBetween(0.1, 3600)
  readonly HEADERS_TIMEOUT: number = 10;

  /** Longest time until the body of a request is there, uploads apart, in seconds. */
  @IsNumberBetween(0.1, 3600)
  readonly BODY_TIMEOUT: number = 30;

  /** Longest time until an upload is there, from the first byte of its head, in seconds; at least HEADERS_TIMEOUT. */
  @IsNumberBetween(0.1, 86_400)
  readonly UPLOAD_TIMEOUT: number = 300;

  /** How long a connection may go without progress while a body is received or an answer sent, in seconds. */
  @IsNumberBetween(0.1, 3600)
  readonly PROGRESS_TIMEOUT: number = 30;

  /** How long a connection stays open after an answer, in seconds. */
  @IsNumberBetween(0.1, 3600)
  readonly KEEP_ALIVE_TIMEOUT: number = 65;

  /** How long requests under way may take once the service has been asked to stop, in seconds. */
  @IsNumberBetween(0.1, 3600)
  readonly SHUTDOWN_GRACE: number = 10;

  /** Memory of answers that wait for the clients of one user to take them, in bytes; 0 = no limit. */
  @IsIntegerBetween(0, Number.MAX_SAFE_INTEGER)
  readonly ANSWER_MEMORY_PER_USER: number = 64 * 1024 * 1024;

  /** The same of all users together, in bytes; 0 = no limit. */
  @IsIntegerBetween(0, Number.MAX_SAFE_INTEGER)
  readonly ANSWER_MEMORY: number = 512 * 1024 * 1024;

  /** Whether DATABASE_URL names the embedded database. */
  get isEmbeddedDatabase(): boolean {
    return this.DATABASE_URL.startsWith('sqlite:');
  }

  /** The address at which a person would look at something, such as `/view/DEMO-1`. */
  webUrl(path: string): string {
    const host = this.HOST.includes(':') ? `[${this.HOST}]` : this.HOST;
    const origin = this.PUBLIC_URL?.replace(/\/$/, '') ?? `http://${host}:${this.PORT}`;
    return `${origin}${path}`;
  }

  /** The name of the database, without host, user or password. */
  get databaseName(): string {
    return this.isEmbeddedDatabase
      ? this.DATABASE_URL.slice('sqlite:'.length)
      : new URL(this.DATABASE_URL).pathname.slice(1);
  }

  /** Whether the first start loads the demo project (`docs/decisions/0002-start-without-setup.md`). */
  get loadsDemoData(): boolean {
    return this.DEMO_DATA ?? this.isEmbeddedDatabase;
  }
}

/** Names the settings that are wrong, one problem a line. */
export class EnvironmentError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'));
  }
}

/**
 * Reads the settings; a variable that is set to nothing counts as unset.
 * @throws EnvironmentError listing every problem
 */
export function readEnvironment(variables: Record<string, string | undefined> = process.env): Environment {
  const given = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''),
  );
  const environment = plainToInstance(Environment, given, { exposeDefaultValues: true });
  const problems = validateSync(environment).map(
    (error) => Object.values(error.constraints ?? {})[0] ?? `${error.property} is not valid`,
  );
  if (environment.WEBHOOK_LEASE < environment.WEBHOOK_TIMEOUT + MIN_LEASE_REST) {
    problems.push(`WEBHOOK_LEASE must be at least WEBHOOK_TIMEOUT and ${MIN_LEASE_REST} seconds`);
  }
  if (environment.UPLOAD_TIMEOUT < environment.HEADERS_TIMEOUT) {
    problems.push('UPLOAD_TIMEOUT must be at least HEADERS_TIMEOUT');
  }
  if (problems.length > 0) throw new EnvironmentError(problems);
  return environment;
}
