import { plainToInstance, Transform, Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsUrl,
  Matches,
  Max,
  Min,
  validateSync,
  ValidateIf,
} from 'class-validator';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const IsFlag = (): PropertyDecorator => (target, property) => {
  Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))(
    target,
    property,
  );
  IsBoolean({ message: '$property must be true or false' })(target, property);
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
  if (problems.length > 0) throw new EnvironmentError(problems);
  return environment;
}
