import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, EnvironmentError, readEnvironment } from './environment';
import { SETTINGS } from './settings';

const problemsOf = (variables: Record<string, string>): string[] => {
  try {
    readEnvironment(variables);
    return [];
  } catch (error) {
    if (error instanceof EnvironmentError) return error.problems;
    throw error;
  }
};

const names = Object.keys(SETTINGS).sort();

describe(readEnvironment.name, () => {
  it('returns the defaults when no variable is set', () => {
    expect(readEnvironment({})).toMatchObject({
      PORT: 3000,
      HOST: '127.0.0.1',
      BASE_PATH: '/api/v2',
      DATABASE_URL: 'sqlite:./data/service.db',
      DATABASE_POOL_SIZE: 10,
      STORAGE_URL: 'file:./data/files',
      MAX_FILE_SIZE: 10_485_760,
      SPACE_CAPACITY: 0,
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'auto',
      LOG_SLOW_REQUEST: 1000,
      loadsDemoData: true,
    });
  });

  it('treats an empty variable as not set', () => {
    const nothing = Object.fromEntries(names.map((name) => [name, '']));
    expect(readEnvironment(nothing)).toEqual(readEnvironment({}));
  });

  it('ignores variables of other programs', () => {
    const others = { PATH: '/bin', constructor: 'x', __proto__: 'x', DEPLOY_TOKEN: 'x' };
    expect(readEnvironment(others)).toEqual(readEnvironment({}));
  });

  it.each([
    ['PORT', '0', 0],
    ['PORT', '65535', 65535],
    ['HOST', '::', '::'],
    ['BASE_PATH', '/', '/'],
    ['PUBLIC_URL', 'http://localhost:3000', 'http://localhost:3000'],
    ['VENDOR_ACCOUNT_ALIAS', 'otherAccount:otherId', 'otherAccount:otherId'],
    ['DATABASE_URL', 'sqlite::memory:', 'sqlite::memory:'],
    ['DATABASE_URL', 'mariadb://u:p%40@[::1]:3307/db?ssl=true', 'mariadb://u:p%40@[::1]:3307/db?ssl=true'],
    ['REDIS_URL', 'redis://localhost', 'redis://localhost'],
    ['REDIS_URL', 'rediss://u:p%40@[::1]:6380/2', 'rediss://u:p%40@[::1]:6380/2'],
    ['MAX_FILE_SIZE', '1', 1],
    ['ADMIN_API_KEY', '!'.repeat(32), '!'.repeat(32)],
    ['DEMO_DATA', 'false', false],
    ['SPACE_KEY', 'a-1', 'a-1'],
    ['SPACE_KEY', 'Nautilus10', 'Nautilus10'],
    ['SPACE_NAME', '😀'.repeat(255), '😀'.repeat(255)],
    ['LOG_FORMAT', 'pretty', 'pretty'],
    ['TRUST_PROXY', 'off', 0],
    ['TRUST_PROXY', '2', 2],
    ['TRUST_PROXY', '10.0.0.1, fd00::/8,loopback', ['10.0.0.1', 'fd00::/8', 'loopback']],
    ['CORS_ORIGINS', '*', ['*']],
    ['CORS_ORIGINS', 'off', []],
    [
      'CORS_ORIGINS',
      'https://board.example, http://localhost:8080',
      ['https://board.example', 'http://localhost:8080'],
    ],
    ['MAX_USER_REQUESTS', '0', 0],
    ['GIT_MEMORY', '0', 0],
    ['GIT_MEMORY', '268435456', 268_435_456],
    ['RATE_LIMIT', 'off', false],
    ['RATE_LIMIT', 'on', true],
    ['RATE_LIMIT_READ', '1', 1],
    ['ALLOWED_ADDRESSES', '10.0.0.0/8, 2001:db8::1', ['10.0.0.0/8', '2001:db8::1']],
    ['MAX_STATUSES', '4', 4],
    ['METRICS_PORT', '0', 0],
    ['METRICS_TOKEN', '!'.repeat(16), '!'.repeat(16)],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318/', 'http://collector:4318/'],
    ['WEBHOOK_ALLOW', 'CI.internal, build_1', ['CI.internal', 'build_1']],
    [
      'WEBHOOK_ALLOW',
      'chat.internal:80,10.1.2.3,10.1.2.3:8080',
      ['chat.internal:80', '10.1.2.3', '10.1.2.3:8080'],
    ],
    ['WEBHOOK_ALLOW', 'fd00::1,[FD00::1]:8080,fd00::/8', ['fd00::1', '[FD00::1]:8080', 'fd00::/8']],
  ])('accepts %s=%s', (name, text, value) => {
    expect(readEnvironment({ [name]: text })).toHaveProperty(name, value);
  });

  it.each([
    ['PORT', 'http'],
    ['GIT_MEMORY', '1000000'],
    ['GIT_PROCESSES', '0'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['HOST', 'a b'],
    ['BASE_PATH', 'api'],
    ['BASE_PATH', '/api/'],
    ['BASE_PATH', '/:id'],
    ['PUBLIC_URL', 'tracker.example.com'],
    ['VENDOR_ACCOUNT_ALIAS', 'otherAccount'],
    ['VENDOR_ACCOUNT_ALIAS', 'mailAddress:otherId'],
    ['VENDOR_ACCOUNT_ALIAS', 'otherAccount:__proto__'],
    ['PUBLIC_URL', 'ftp://tracker.example.com'],
    ['DATABASE_URL', 'postgres://localhost/db'],
    ['DATABASE_URL', 'mysql://localhost'],
    ['DATABASE_URL', 'sqlite:'],
    ['DATABASE_POOL_SIZE', '0'],
    ['REDIS_URL', 'localhost:6379'],
    ['REDIS_URL', 'http://localhost:6379'],
    ['REDIS_URL', 'redis://'],
    ['REDIS_URL', 'redis:///0'],
    ['REDIS_URL', 'redis://localhost:65536'],
    ['REDIS_URL', 'redis://localhost/tracker'],
    ['REDIS_URL', 'redis://:100%@localhost'],
    ['STORAGE_URL', '/data'],
    ['STORAGE_URL', 's3://key:secret@files'],
    ['STORAGE_URL', 's3://files?endpoint=minio'],
    ['AWS_ACCESS_KEY_ID', 'a b'],
    ['AWS_SECRET_ACCESS_KEY', 'ä'],
    ['MAX_FILE_SIZE', '0'],
    ['MAX_FILE_SIZE', '10MB'],
    ['SPACE_CAPACITY', '-1'],
    ['ADMIN_API_KEY', 'x'.repeat(31)],
    ['ADMIN_API_KEY', 'ä'.repeat(32)],
    ['DEMO_DATA', 'yes'],
    ['SPACE_KEY', 'ab'],
    ['SPACE_KEY', 'elevenchars'],
    ['SPACE_KEY', 'a_b'],
    ['SPACE_KEY', '-ab'],
    ['SPACE_NAME', ' a'],
    ['SPACE_NAME', 'x'.repeat(256)],
    ['SPACE_NAME', 'a\nb'],
    ['LOG_LEVEL', 'verbose'],
    ['LOG_FORMAT', 'text'],
    ['LOG_SLOW_REQUEST', '-1'],
    ['CORS_ORIGINS', 'on'],
    ['CORS_ORIGINS', '*,https://board.example'],
    ['CORS_ORIGINS', 'https://board.example/'],
    ['CORS_ORIGINS', 'https://board.example/page'],
    ['CORS_ORIGINS', 'file:///tmp'],
    ['CORS_ORIGINS', 'null'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '101'],
    ['TRUST_PROXY', '-1'],
    ['TRUST_PROXY', 'proxy.internal'],
    ['TRUST_PROXY', '10.0.0.1,'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', '::/0'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.0/8/8'],
    ['TRUST_PROXY', 'fe80::1%eth0'],
    ['MAX_UNATTACHED_FILES', '-1'],
    ['RATE_LIMIT', 'true'],
    ['RATE_LIMIT_SEARCH', '0'],
    ['WEBHOOK_ALLOW', '*.example.com'],
    ['WEBHOOK_ALLOW', 'ci.internal,!!'],
    ['WEBHOOK_ALLOW', 'bücher.internal'],
    ['WEBHOOK_ALLOW', '10.1'],
    ['WEBHOOK_ALLOW', 'ci.internal:65536'],
    ['WEBHOOK_ALLOW', '10.0.0.0/33'],
    ['ALLOWED_ADDRESSES', 'office.example.com'],
    ['ALLOWED_ADDRESSES', '10.0.0.0/33'],
    ['ALLOWED_ADDRESSES', '10.0.0.0/8,'],
    ['MAX_USERS', '0'],
    ['MAX_STATUSES', '3'],
    ['METRICS_PORT', '65536'],
    ['METRICS_PORT', '3000'],
    ['METRICS_HOST', 'a b'],
    ['METRICS_TOKEN', 'x'.repeat(15)],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ])('refuses %s=%s in one line that names the variable', (name, text) => {
    expect(problemsOf({ [name]: text })).toEqual([expect.stringMatching(new RegExp(`^${name} [^\\n]+$`))]);
  });

  it('reports every invalid variable, one per line', () => {
    const bad = { PORT: 'x', BASE_PATH: 'x', LOG_LEVEL: 'x', DEMO_DATA: 'x' };
    expect(() => readEnvironment(bad)).toThrow(EnvironmentError);
    const told = problemsOf(bad).map((problem) => problem.split(' ', 1)[0]);
    expect(told.sort()).toEqual(['BASE_PATH', 'DEMO_DATA', 'LOG_LEVEL', 'PORT']);
  });

  it.each([
    ['ADMIN_API_KEY', 'secret ä'],
    ['DATABASE_URL', 'mysql://root:secret@'],
    ['REDIS_URL', 'redis://root:secret@localhost/name'],
    ['STORAGE_URL', 's3://key:secret@files'],
    ['AWS_SECRET_ACCESS_KEY', 'secret ä'],
    ['METRICS_TOKEN', 'secret ä'],
  ])('keeps the value of %s out of the message', (name, text) => {
    expect(problemsOf({ [name]: text }).join()).not.toContain('secret');
  });

  it('requires for S3 an access key and a file size within its limit', () => {
    const key = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    const STORAGE_URL = 's3://files';
    expect(problemsOf({ STORAGE_URL })).toEqual([
      'AWS_ACCESS_KEY_ID is required with files on S3',
      'AWS_SECRET_ACCESS_KEY is required with files on S3',
    ]);
    expect(readEnvironment({ STORAGE_URL, MAX_FILE_SIZE: String(5 * 1024 ** 3), ...key })).toBeDefined();
    expect(problemsOf({ STORAGE_URL, MAX_FILE_SIZE: String(5 * 1024 ** 3 + 1), ...key })).toEqual([
      expect.stringMatching(/^MAX_FILE_SIZE must be at most 5368709120 .*S3$/),
    ]);
  });

  it.each([
    [{}, true],
    [{ DATABASE_URL: 'mysql://localhost/db' }, false],
    [{ DATABASE_URL: 'mysql://localhost/db', DEMO_DATA: 'true' }, true],
    [{ DEMO_DATA: 'false' }, false],
  ])('sets loadsDemoData for %j to %s', (variables, loads) => {
    expect(readEnvironment(variables).loadsDemoData).toBe(loads);
  });

  it.each([
    [{}, false],
    [{ METRICS_PORT: '9464' }, true],
    [{ METRICS_TOKEN: 'x'.repeat(16) }, true],
  ])('sets hasMetrics for %j to %s', (variables, collects) => {
    expect(readEnvironment(variables).hasMetrics).toBe(collects);
  });

  it.each([
    [{}, false, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' }, true, 'http://c:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:4318/x' }, true, 'http://c:4318/x'],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true, undefined],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c' }, false, 'http://c/v1/traces'],
  ])('sets hasTraces for %j to %s and the endpoint to %s', (variables, traces, endpoint) => {
    const environment = readEnvironment(variables);
    expect([environment.hasTraces, environment.tracesEndpoint]).toEqual([traces, endpoint]);
  });

  it.each([
    ['sqlite:./data/service.db', './data/service.db'],
    ['mysql://root:secret@localhost:3306/tracker?ssl=true', 'tracker'],
    ['mariadb://other@10.0.0.1/tracker', 'tracker'],
  ])('reads from %s the database name %s', (url, name) => {
    expect(readEnvironment({ DATABASE_URL: url }).databaseName).toBe(name);
  });
});

describe('.env.example', () => {
  const lines = readFileSync(join(__dirname, '../../.env.example'), 'utf8').split('\n');
  const shown = lines.flatMap((line) => {
    const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value ?? ''] as const];
  });

  it('documents every variable, and no other', () => {
    expect(shown.map(([name]) => name).sort()).toEqual(names);
  });

  it('shows the defaults', () => {
    expect(readEnvironment(Object.fromEntries(shown))).toEqual(readEnvironment({}));
    const unset = new Set(
      names.filter((name) => {
        const value = readEnvironment({})[name as keyof Environment];
        return value === undefined || (Array.isArray(value) && value.length === 0);
      }),
    );
    for (const [name, value] of shown)
      expect({ name, isEmpty: value === '' }).toEqual({ name, isEmpty: unset.has(name) });
  });
});
