import { plainToInstance, Transform, Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsUrl,
  Matches,
  Max,
  Min,
  ValidateBy,
  validateSync,
  ValidateIf,
} from 'class-validator';
import { isAllowEntry } from './allow-entry';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Seconds that a lease must outlast an attempt by. */
const MIN_LEASE_REST = 5;

const IsFlag = (): PropertyDecorator => (target, property) => {
  Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))(
    target,
    property,
  );
  IsBoolean({ message: '$property must be true or false' })(target, property);
};

const IsNumberBetween =
  (min: number, max: number): PropertyDecorator =>
  (target, property) => {
    const message = `$property must be a number from ${min} to ${max}`;
    Type(() => Number)(target, property);
    IsNumber({}, { message })(target, property);
    Min(min, { message })(target, property);
    Max(max, { message })(target, property);
  };

const splitList = (value: unknown): unknown =>
  typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value;

const IsList =
  (isItem: (item: string) => boolean, what: string): PropertyDecorator =>
  (target, property) => {
    Transform(({ value }: { value: unknown }) => splitList(value))(target, property);
    ValidateBy({
      name: 'list',
      validator: {
        validate: (value) => Array.isArray(value) && value.every((item: string) => isItem(item)),
        defaultMessage: () => `$property must be ${what}`,
      },
    })(target, property);
  };

const IsNumberListBetween =
  (min: number, max: number): PropertyDecorator =>
  (target, property) => {
    Transform(({ value }: { value: unknown }) => {
      const items = splitList(value);
      return Array.isArray(items) ? items.map(Number) : items;
    })(target, property);
    ValidateBy({
      name: 'numberList',
      validator: {
        validate: (value) =>
          Array.isArray(value) && value.every((item: number) => item >= min && item <= max),
        defaultMessage: () => `$property must be numbers from ${min} to ${max}, separated by commas`,
      },
    })(target, property);
  };

/**
 * Every setting of the service, read from environment variables once at start; `.env.example` says the same for people.
 * Nothing else reads `process.env`.
 */
export class Environment {
  /** TCP port; 0 takes a free one. */
  @Type(() => Number)
  @IsInt({ message: '$property must be a port number, 0 to 65535' })
  @Min(0)
  @Max(65535)
  readonly PORT: number = 3000;

  /** Address to listen on. */
  @Matches(/^\S+$/, { message: '$property must be an address such as 127.0.0.1 or ::' })
  readonly HOST: string = '127.0.0.1';

  /** Path that every operation is under; `/` for none. */
  @Matches(/^\/$|^(\/[A-Za-z0-9._~-]+)+$/, { message: '$property must be a path such as /api/v2' })
  readonly BASE_PATH: string = '/api/v2';

  /** Address that people and clients reach the service by, without BASE_PATH; unset = what the request names. */
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
  @Type(() => Number)
  @IsInt({ message: '$property must be a whole number, 1 to 1000' })
  @Min(1)
  @Max(1000)
  readonly DATABASE_POOL_SIZE: number = 10;

  /** Where files are kept: `file:PATH`. */
  @Matches(/^file:.+/, { message: '$property must be file:PATH' })
  readonly STORAGE_URL: string = 'file:./data/files';

  /** Largest file that may be uploaded, in bytes. */
  @Type(() => Number)
  @IsInt({ message: '$property must be a number of bytes, 1 or more' })
  @Min(1)
  readonly MAX_FILE_SIZE: number = 10 * 1024 * 1024;

  /** Bytes that all files together may take; 0 = no limit. */
  @Type(() => Number)
  @IsInt({ message: '$property must be a number of bytes, 0 or more' })
  @Min(0)
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

  /** Targets that webhooks may be sent to although they are not public: hosts, host:port, CIDR ranges; commas between. */
  @IsList(isAllowEntry, 'hosts, host:port and CIDR ranges, separated by commas')
  readonly WEBHOOK_ALLOW: readonly string[] = [];

  /** Longest time of one attempt, from connecting to the end of the answer, in seconds. */
  @IsNumberBetween(1, 300)
  readonly WEBHOOK_TIMEOUT: number = 15;

  /** How much of an answer is kept, in bytes. */
  @IsNumberBetween(0, 1_048_576)
  readonly WEBHOOK_RESPONSE_LIMIT: number = 16_384;

  /** Seconds between an attempt and the next; one attempt more than there are delays. */
  @IsNumberListBetween(0, 604_800)
  readonly WEBHOOK_RETRY_DELAYS: readonly number[] = [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400];

  /** Part of a delay that chance adds or takes away, in percent. */
  @IsNumberBetween(0, 100)
  readonly WEBHOOK_RETRY_JITTER: number = 20;

  /** Attempts under way at once in this process. */
  @IsNumberBetween(1, 10_000)
  readonly WEBHOOK_CONCURRENCY: number = 256;

  /** Attempts under way at once for one webhook in this process. */
  @IsNumberBetween(1, 1000)
  readonly WEBHOOK_ENDPOINT_CONCURRENCY: number = 8;

  /** How long a process may hold a delivery before another may take it, in seconds; more than WEBHOOK_TIMEOUT. */
  @IsNumberBetween(2, 3600)
  readonly WEBHOOK_LEASE: number = 60;

  /** How often due deliveries are looked for when nothing has signalled any, in milliseconds. */
  @IsNumberBetween(10, 60_000)
  readonly WEBHOOK_POLL_INTERVAL: number = 1000;

  /** Failures in a row after which a webhook is left alone for a while. */
  @IsNumberBetween(1, 1000)
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

  /** Hours that the old secret signs along after a rotation. */
  @IsNumberBetween(0, 8760)
  readonly WEBHOOK_SECRET_OVERLAP: number = 24;

  /** How much is logged. */
  @IsIn(LOG_LEVELS, { message: `$property must be one of ${LOG_LEVELS.join(', ')}` })
  readonly LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'info';

  /** Whether a line is logged for every request. */
  @IsFlag()
  readonly LOG_REQUESTS: boolean = false;

  /** Whether DATABASE_URL names the embedded database. */
  get isEmbeddedDatabase(): boolean {
    return this.DATABASE_URL.startsWith('sqlite:');
  }

  /** Whether the first start loads the demo project (decisions, section 1). */
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

/** The names of all variables, for the check of `.env.example`. */
export const VARIABLE_NAMES = Object.keys(new Environment());

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
  if (problems.length > 0) throw new EnvironmentError(problems);
  return environment;
}
