import { isAddressRange } from './address-ranges';
import { isAllowEntry } from './allow-entry';
import { isRedisUrl } from './redis-url';
import { isDatabaseUrl } from './server-url';
import {
  decimal,
  decimals,
  flag,
  httpUrl,
  integer,
  list,
  onOff,
  oneOf,
  origins,
  type Setting,
  text,
  trustedProxies,
} from './setting-rules';
import { parseSmtpUrl, SMTP_URL_FORM } from './smtp-url';
import { isStorageUrl, STORAGE_URL_FORM } from './storage-url';
import { parseVendorAccountAlias } from './vendor-account-alias';

const address = text(/^\S+$/, 'an address such as 127.0.0.1 or ::');
const file = text(/^/, 'the path of a file');
const accessKey = text(/^[\x21-\x7e]{1,255}$/, 'visible ASCII characters');
const rate = integer(1, 10_000_000);

/**
 * Every setting of the service. `npm run settings` writes `.env.example` and `docs/settings.md` from this table. The comment on a
 * setting is its description in Markdown: a first sentence that can stand alone, and at the end, `Unset: …` if there is no default.
 * A comment with slashes is the title of a topic, followed by an introduction if needed.
 */
export const SETTINGS = {
  // Addresses and clients
  // Details: docs/limits.md#addresses-and-users, docs/operate.md#tls.

  /** TCP port to listen on; 0 selects a free port. */
  PORT: { ...integer(0, 65_535), default: '3000' },
  /** Address to listen on: the default accepts connections from this machine only, `0.0.0.0` accepts all. */
  HOST: { ...address, default: '127.0.0.1' },
  /** Path prefix of every operation; `/` for none. */
  BASE_PATH: {
    ...text(/^\/$|^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/, 'a path such as /api/v2'),
    default: '/api/v2',
  },
  /**
   * Address at which users and clients reach the service, without `BASE_PATH`, such as `https://tracker.example.com` behind a
   * proxy. Unset: the address at which a request arrives, or localhost if the request names it. Passkeys belong to its host, and need
   * https; unset, they work at localhost only.
   */
  PUBLIC_URL: httpUrl,
  /**
   * PEM file of the service's certificate, followed by its chain, for https without a proxy. Requires `TLS_KEY`. The service
   * reloads changed files. Unset: plain http.
   */
  TLS_CERT: file,
  /** PEM file of the certificate's private key. Requires `TLS_CERT`. Unset: plain http. */
  TLS_KEY: file,
  /**
   * Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted: the number of proxies on the path of a request, or their
   * addresses and CIDR ranges, such as `10.0.0.1,fd00::/8`. The headers are ignored from all other senders.
   */
  TRUST_PROXY: { ...trustedProxies, default: 'off' },
  /**
   * Addresses of allowed clients, such as `10.0.0.0/8,2001:db8::/32`. All others get 403, except for health checks. `TRUST_PROXY`
   * determines the client address. Unset: all clients are allowed.
   */
  ALLOWED_ADDRESSES: { ...list(isAddressRange, 'addresses and CIDR ranges'), default: '' },
  /**
   * Origins whose pages may use the service from a browser; `*` for any, `off` for none. Pages need an API key like any other
   * client.
   */
  CORS_ORIGINS: { ...origins, default: '*' },
  /**
   * Whether `/mcp` serves AI agents by the Model Context Protocol. They need an API key. Pages in browsers may use it only if
   * `CORS_ORIGINS` names their origin.
   */
  MCP: { ...onOff, default: 'on' },
  /**
   * Second name for the `vendorAccount` of users and for the `vendorId` in it, for clients that read another word. Repeated in
   * every response and webhook payload. Unset: none.
   */
  VENDOR_ACCOUNT_ALIAS: text(
    (given) => parseVendorAccountAlias(given) !== undefined,
    'two names such as otherAccount:otherId that are not fields of users already',
  ),

  // Database and Redis
  // Details: docs/operate.md#a-database-server, docs/operate.md#clusters, docs/scale.md.

  /**
   * Database: an embedded file, which the first start creates, or a server, `mysql://USER:PASSWORD@HOST:PORT/NAME` or
   * `mariadb://…` for MariaDB. `sqlite::memory:` is lost at shutdown. Separate several servers by commas, the preferred one
   * first: `mariadb://USER:PASSWORD@a,b:3307,c/NAME`. They are nodes of one cluster, or a primary and its replicas, of which the
   * one that accepts writes is used. Append `?ssl=true` for an encrypted connection, `?ssl-ca=FILE` for a private CA, and
   * `?wsrep-sync-wait=1` on a Galera cluster to read the latest writes of other processes.
   */
  DATABASE_URL: {
    ...text(
      isDatabaseUrl,
      'sqlite:PATH, sqlite::memory:, or mysql://USER:PASSWORD@HOST[,HOST…]/NAME or mariadb://… ' +
        'with no other options than ?ssl=true, ?ssl-ca=FILE and ?wsrep-sync-wait=1',
    ),
    default: 'sqlite:./data/service.db',
  },
  /** Connections to a MySQL or MariaDB server. */
  DATABASE_POOL_SIZE: { ...integer(1, 1000), default: '10' },
  /**
   * Maximum time of a statement on a MySQL or MariaDB server, including the wait for a connection, and of a transaction as a
   * whole, in seconds. On the embedded database: maximum wait of a write for its turn, at most 5 seconds, and for its sync to disk.
   */
  DATABASE_STATEMENT_TIMEOUT: { ...decimal(0.1, 3600), default: '10' },
  /** Maximum time of a search for words, in seconds. */
  SEARCH_TIMEOUT: { ...decimal(0.1, 3600), default: '20' },
  /**
   * Redis through which processes on one database wake each other when webhook deliveries are due, and count the requests of
   * users together. Redis 6 or later; `rediss://` encrypts the connection. It stores nothing for longer than a minute and is
   * optional. Unset: none.
   */
  REDIS_URL: text(isRedisUrl, 'redis://USER:PASSWORD@HOST:PORT or rediss://…'),

  // Files and backups
  // Details: docs/operate.md#files-on-s3, docs/operate.md#backup-and-restore.

  /**
   * Storage of uploaded files: a folder, or a bucket on Amazon S3 or a compatible server, such as `s3://BUCKET/PREFIX`. The
   * prefix is optional. Append `?region=REGION` (default `us-east-1`) and, for servers other than Amazon's,
   * `&endpoint=https://HOST`. `path-style=true` puts the bucket in the path, `path-style=false` in the host name. Default: in the
   * path if there is an endpoint.
   */
  STORAGE_URL: { ...text(isStorageUrl, STORAGE_URL_FORM), default: 'file:./data/files' },
  /** Access key of the bucket, required with `s3://`; never part of `STORAGE_URL`. */
  AWS_ACCESS_KEY_ID: { ...accessKey, isSecret: true },
  /** Secret of the access key, required with `s3://`. */
  AWS_SECRET_ACCESS_KEY: { ...accessKey, isSecret: true },
  /** Maximum size of an uploaded file, in bytes; at most 5 GiB on S3. */
  MAX_FILE_SIZE: { ...integer(1), default: '10485760' },
  /** Maximum total size of all files and git repositories, in bytes; 0 = no limit. */
  SPACE_CAPACITY: { ...integer(0), default: '0' },
  /** Folder of the archives that are being imported. A process goes on with the imports whose archives it finds there. */
  IMPORT_ROOT: { ...text(/\S/, 'a folder'), default: './data/imports' },
  /** Maximum size of an archive that is uploaded, in bytes; `pms import` has no limit. */
  MAX_IMPORT_SIZE: { ...integer(1), default: '10737418240' },
  /**
   * Non-public addresses of sources that Administrators may import over the API, such as `redmine.internal,10.1.0.0/16`; `pms import`
   * has no limit. Unset: public addresses only.
   */
  IMPORT_SOURCE_ALLOW: {
    ...list(isAllowEntry, 'hosts, host:port and CIDR ranges, without wildcards'),
    default: '',
  },
  /** Unattached uploads of one user; 0 = no limit. */
  MAX_UNATTACHED_FILES: { ...integer(0, 1_000_000), default: '100' },
  /** Total size of the unattached uploads of one user, in bytes; 0 = no limit. */
  MAX_UNATTACHED_BYTES: { ...integer(0), default: '209715200' },
  /**
   * Passphrase with which `pms backup` encrypts and `pms restore` decrypts. Unset: backups are not encrypted, unless
   * `--passphrase` or `--passphrase-file` is given.
   */
  BACKUP_PASSPHRASE: { ...text(/^/, 'any text'), isSecret: true },

  // First start

  /**
   * Key of the space that the first start creates. It has no effect on an existing space; the service logs a difference at
   * startup. Unset: `space`.
   */
  SPACE_KEY: text(
    /^[A-Za-z\d](?:[A-Za-z\d-]{1,8})[A-Za-z\d]$/,
    '3 to 10 letters, digits or hyphens, without a hyphen at either end',
  ),
  /**
   * Name of the space that the first start creates. It has no effect on an existing space; the service logs a difference at
   * startup. Unset: `Space`.
   */
  SPACE_NAME: text(/^\S(?:.{0,253}\S)?$/u, 'text of 1 to 255 characters, without spaces at either end'),
  /** API key of the administrator that the first start creates. Unset: a random key, printed once. */
  ADMIN_API_KEY: { ...text(/^[\x21-\x7e]{32,255}$/, '32 to 255 visible ASCII characters'), isSecret: true },
  /** Whether the first start loads the demo project. Unset: `true` on the embedded database, `false` elsewhere. */
  DEMO_DATA: flag,

  // Signing in
  // Details: docs/operate.md#second-factors, docs/people.md#single-sign-on.

  /**
   * Users who need a second factor: nobody (`off`), Administrators of the space (`administrators`), or everybody (`all`). Until they have set
   * it up, their requests get 403, whatever the credential; keys of AI agents are exempt.
   */
  REQUIRE_MFA: { ...oneOf('off', 'administrators', 'all'), default: 'off' },
  /**
   * Whether users sign in with passwords. Switch it off once everybody signs in with an identity provider: passwords and links to set one are
   * then refused. `pms user login-link` still signs a user in. The service does not start if no identity provider is enabled.
   */
  PASSWORD_SIGN_IN: { ...onOff, default: 'on' },
  /**
   * Non-public addresses of identity providers, such as `login.internal,10.1.0.0/16`. Unset: public addresses only.
   */
  IDENTITY_PROVIDER_ALLOW: {
    ...list(isAllowEntry, 'hosts, host:port and CIDR ranges, without wildcards'),
    default: '',
  },

  // Secrets
  // Details: docs/operate.md#encryption-keys.

  /**
   * Encryption keys of the secrets of webhooks, authenticator apps and identity providers, each made with `openssl rand -base64 32`; required with MySQL and MariaDB. The first
   * encrypts, all decrypt. A start with `NEW,OLD` re-encrypts everything with `NEW`; `OLD` can then be removed. The service does
   * not start if a required key is missing. Unset: a key in a file beside the embedded database.
   */
  ENCRYPTION_KEY: {
    ...text(
      /^[A-Za-z0-9+/]{43}=(,[A-Za-z0-9+/]{43}=)*$/,
      '32 bytes in base64, or several separated by commas',
    ),
    isSecret: true,
  },
  /**
   * Whether startup discards secrets whose key is lost, instead of failing. Webhooks get new ones; users of authenticator apps need their
   * recovery codes; the client secrets of identity providers have to be entered again.
   */
  REPLACE_LOST_SECRETS: { ...flag, default: 'false' },

  // Logs, metrics and traces
  // Details: docs/operate.md#the-log, docs/operate.md#monitoring.

  /** Minimum level of logged messages; at `debug` and `trace`, every request is logged. */
  LOG_LEVEL: { ...oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), default: 'info' },
  /** Format of the log: `json`, `pretty` (human-readable), or `auto`, which is `pretty` on a terminal and `json` elsewhere. */
  LOG_FORMAT: { ...oneOf('auto', 'json', 'pretty'), default: 'auto' },
  /** Duration at which a request is logged as slow, at level `warn`, in milliseconds; 0 = never. */
  LOG_SLOW_REQUEST: { ...integer(0, 3_600_000), default: '1000' },
  /**
   * Separate TCP port for metrics for Prometheus, at `/metrics`; 0 selects a free port. It requires authentication only if
   * `METRICS_TOKEN` is also set. Unset: metrics are on `PORT` if `METRICS_TOKEN` is set, and otherwise not collected.
   */
  METRICS_PORT: integer(0, 65_535),
  /** Address on which `METRICS_PORT` listens. */
  METRICS_HOST: { ...address, default: '127.0.0.1' },
  /** Token required to read metrics, sent as `Authorization: Bearer TOKEN`. Unset: none. */
  METRICS_TOKEN: { ...text(/^[!-~]{16,255}$/, '16 to 255 visible ASCII characters'), isSecret: true },
  /**
   * Destination of traces for OpenTelemetry: `otlp` for a collector, or `console` for standard output. The SDK also reads
   * `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_TRACES_SAMPLER`,
   * `OTEL_TRACES_SAMPLER_ARG` and `OTEL_BSP_*`. Unset: `otlp` if a collector is set, otherwise `none`.
   */
  OTEL_TRACES_EXPORTER: oneOf('otlp', 'console', 'none'),
  /** Collector that receives traces over HTTP, such as `http://127.0.0.1:4318`; `/v1/traces` is appended. Unset: none. */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl,
  /** Full address at which the collector accepts traces. Unset: the path `/v1/traces` of `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl,
  /** Protocol of the collector. */
  OTEL_EXPORTER_OTLP_PROTOCOL: { ...oneOf('http/protobuf', 'http/json'), default: 'http/protobuf' },
  /** Whether traced requests to webhooks carry the header `traceparent`, which reveals trace ids to receivers. */
  WEBHOOK_TRACE_HEADERS: { ...onOff, default: 'off' },

  // Git repositories
  // Details: docs/git.md#limits, docs/git.md#for-operators.

  /**
   * Git, version 2.38 or later: a path, or a name resolved as in a shell. Without git, repositories are only names and cannot be
   * cloned or pushed to.
   */
  GIT_PATH: { ...text(/^\S+$/, 'a path without spaces, or a name'), default: 'git' },
  /** Folder of the git repositories. It belongs to one database: folders unknown to the database are moved aside. */
  GIT_ROOT: { ...text(/\S/, 'a folder'), default: './data/git' },
  /** Maximum size of a pushed pack, and of what a compressed push unpacks to, in bytes; 0 = no limit. */
  MAX_PUSH_SIZE: { ...integer(0), default: '1073741824' },
  /** Maximum time of a clone, a fetch or a push, in seconds. */
  GIT_TIMEOUT: { ...decimal(1, 86_400), default: '3600' },
  /**
   * Concurrent git processes in this process: half of them for clones, fetches, pushes and downloads, one in eight for the
   * service's own work, and the rest for reads and merges.
   */
  GIT_PROCESSES: { ...integer(1, 1000), default: '32' },
  /** Concurrent git processes of one user, of each of these kinds. */
  GIT_PROCESSES_PER_USER: { ...integer(1, 1000), default: '4' },
  /** Maximum address space of one git process, in bytes: 0 (no limit), or at least 256 MiB. A merge gets half of it. */
  GIT_MEMORY: { ...integer(0), default: '1073741824' },
  /** Maximum CPU time of one git process that works for a user, in seconds. */
  GIT_CPU_TIME: { ...integer(1, 86_400), default: '900' },
  /**
   * Minimum rate of clones, fetches, pushes and downloads, in bytes per second; 0 = none. Time during which the client waits for
   * git does not count.
   */
  GIT_MIN_RATE: { ...integer(0), default: '1024' },
  /** How long a client may stay below `GIT_MIN_RATE`, in seconds. */
  GIT_MIN_RATE_TIME: { ...decimal(0.1, 3600), default: '30' },

  // Webhooks
  // Details: docs/delivery.md.

  /**
   * Non-public targets to which webhooks may be sent, such as `ci.internal,chat.internal:8443,10.1.0.0/16`. Unset: public
   * addresses only.
   */
  WEBHOOK_ALLOW: {
    ...list(isAllowEntry, 'hosts, host:port and CIDR ranges, without wildcards'),
    default: '',
  },
  /** Maximum time of one delivery attempt, from connecting to the end of the response, in seconds. */
  WEBHOOK_TIMEOUT: { ...decimal(1, 300), default: '15' },
  /** Maximum stored size of a response, in bytes. */
  WEBHOOK_RESPONSE_LIMIT: { ...integer(0, 1_048_576), default: '16384' },
  /** Seconds between attempts, also to send a letter; there is one attempt more than delays. */
  WEBHOOK_RETRY_DELAYS: { ...decimals(0, 604_800), default: '5,300,1800,7200,18000,36000,50400,72000,86400' },
  /** Random variation of a delay in both directions, in percent. */
  WEBHOOK_RETRY_JITTER: { ...decimal(0, 100), default: '20' },
  /** Concurrent attempts in this process. */
  WEBHOOK_CONCURRENCY: { ...integer(1, 10_000), default: '256' },
  /** Concurrent attempts for one webhook in this process. */
  WEBHOOK_ENDPOINT_CONCURRENCY: { ...integer(1, 1000), default: '8' },
  /**
   * Time for which a process holds a delivery or a letter before another may take it, in seconds; at least `WEBHOOK_TIMEOUT` plus 5, and
   * `SMTP_TIMEOUT` plus 5 if mail is sent.
   */
  WEBHOOK_LEASE: { ...decimal(2, 3600), default: '60' },
  /** Interval of the search for due deliveries and letters that were not signalled, in milliseconds. */
  WEBHOOK_POLL_INTERVAL: { ...integer(10, 60_000), default: '1000' },
  /** Number of consecutive failures after which a webhook is paused, or the mail server. */
  WEBHOOK_CIRCUIT_FAILURES: { ...integer(1, 1000), default: '5' },
  /** Length of each successive pause while attempts fail, in seconds; the last length repeats. */
  WEBHOOK_CIRCUIT_PAUSES: { ...decimals(0, 86_400), default: '60,120,240,480,960,1920,3600' },
  /** Hours of uninterrupted failures after which a webhook is disabled. */
  WEBHOOK_DISABLE_AFTER: { ...decimal(0.0001, 8760), default: '120' },
  /** Retention of deliveries and their attempts, in days. */
  WEBHOOK_RETENTION: { ...decimal(0.0001, 3650), default: '30' },
  /** Hours for which an old secret still signs after a rotation, for at most the ten newest secrets. */
  WEBHOOK_SECRET_OVERLAP: { ...decimal(0, 8760), default: '24' },

  // Mail
  // Details: docs/operate.md#mail.

  /**
   * Mail server that sends the letters of the service: `smtp://USER:PASSWORD@HOST:PORT`, or `smtps://…` for TLS from the first byte. With
   * `smtp://`, the server must offer STARTTLS, unless it is on this machine or `?starttls=optional` is appended. Append `?ca=FILE` for a private
   * CA. Requires `MAIL_FROM`, and `PUBLIC_URL` unless the mail server is on this machine. Unset: no mail is sent.
   */
  SMTP_URL: text((given) => parseSmtpUrl(given) !== undefined, SMTP_URL_FORM),
  /** Mail address from which the service sends its letters. Requires `SMTP_URL`. Unset: no mail is sent. */
  MAIL_FROM: text(/^[!#-;=?A-~]{1,64}@[A-Za-z\d.-]{1,189}$/, 'a mail address such as tracker@example.com'),
  /** Connections to the mail server, each of which sends one letter at a time. */
  SMTP_CONCURRENCY: { ...integer(1, 100), default: '4' },
  /**
   * Maximum number of letters a second, evenly spaced, of all processes on one database together. A lower rate also repeats fewer letters
   * after a crash; mail servers set limits, too.
   */
  SMTP_RATE: { ...decimal(0.1, 1000), default: '10' },
  /** Maximum time of one attempt to send a letter, from connecting to the answer of the mail server, in seconds. */
  SMTP_TIMEOUT: { ...decimal(1, 300), default: '30' },

  // Retention
  // Details: docs/operate.md#retention.

  /** Retention of audit log entries, in days; 0 = unlimited. */
  AUDIT_LOG_DAYS: { ...integer(0, 36_500), default: '400' },
  /**
   * Retention of activities with their texts, in days; 0 = unlimited. An activity stays at least as long as its webhook
   * deliveries (`WEBHOOK_RETENTION`).
   */
  ACTIVITY_DAYS: { ...integer(0, 36_500), default: '0' },
  /** Retention of notifications, read or not, in days; 0 = unlimited. Comments no longer show a removed notification. */
  NOTIFICATION_DAYS: { ...integer(0, 36_500), default: '0' },

  // Connections and shutdown
  // Details: docs/limits.md#answers-and-connections, docs/operate.md#readiness-and-rolling-restarts.

  /** Maximum time until the headers of a request have arrived, from connecting or from its first byte, in seconds. */
  HEADERS_TIMEOUT: { ...decimal(0.1, 3600), default: '10' },
  /** Maximum time until the body of a request other than an upload has arrived, in seconds. */
  BODY_TIMEOUT: { ...decimal(0.1, 3600), default: '30' },
  /** Maximum time until an upload has arrived, from the first byte of its headers, in seconds; at least `HEADERS_TIMEOUT`. */
  UPLOAD_TIMEOUT: { ...decimal(0.1, 86_400), default: '300' },
  /** Maximum time without progress while a body is received or a response is sent, in seconds. */
  PROGRESS_TIMEOUT: { ...decimal(0.1, 3600), default: '30' },
  /**
   * How long an idle connection stays open after a response, in seconds. Behind a proxy, set it longer than the proxy's timeout.
   */
  KEEP_ALIVE_TIMEOUT: { ...decimal(0.1, 3600), default: '65' },
  /**
   * Maximum time of requests in progress after a stop signal, in seconds. The service also waits for webhooks in progress; the
   * process ends at most 8 seconds after this time, or after 18 seconds if that is later.
   */
  SHUTDOWN_GRACE: { ...decimal(0.1, 3600), default: '10' },
  /**
   * How long the service continues to serve after a stop signal, in seconds. During this time, `GET /health/ready` answers 503,
   * so that a load balancer can remove the process first. A second signal, at least one second later, ends the delay.
   */
  SHUTDOWN_DELAY: { ...decimal(0, 3600), default: '0' },

  // Limits of users and clients
  // Details: docs/limits.md#requests-per-minute, docs/limits.md#addresses-and-users.

  /** Whether the requests of each user are limited per minute. Requests beyond the limit of their class get 429. */
  RATE_LIMIT: { ...onOff, default: 'on' },
  /** Reads of one user per minute that are in none of the classes below. */
  RATE_LIMIT_READ: { ...rate, default: '600' },
  /** Writes of one user per minute. */
  RATE_LIMIT_UPDATE: { ...rate, default: '150' },
  /** Lists and counts of issues, wiki pages and documents of one user per minute. */
  RATE_LIMIT_SEARCH: { ...rate, default: '150' },
  /** Icons of the space, users, projects and teams, read by one user per minute. */
  RATE_LIMIT_ICON: { ...rate, default: '60' },
  /** Concurrent requests of one user in this process; further requests wait up to 2 seconds and then get 429. 0 = no limit. */
  MAX_USER_REQUESTS: { ...integer(0, 100_000), default: '32' },
  /** Open connections of one user to this process; further connections are closed after their response. 0 = no limit. */
  MAX_USER_CONNECTIONS: { ...integer(0, 100_000), default: '500' },
  /** Connections of one client address without a valid API key so far; further connections get 429. 0 = no limit. */
  MAX_UNAUTHENTICATED_CONNECTIONS: { ...integer(0, 100_000), default: '64' },
  /** Wrong API keys per minute from one client address; beyond that, the response is 429 instead of 401. 0 = no limit. */
  MAX_FAILED_KEYS: { ...integer(0, 1_000_000), default: '20' },
  /** Password changes per minute by one user; 0 = no limit. */
  MAX_PASSWORD_CHANGES: { ...integer(0, 1_000_000), default: '5' },
  /**
   * Concurrent password hashes in this process. Each occupies one of the threads for file access; Node has four, unless
   * `UV_THREADPOOL_SIZE` is set.
   */
  PASSWORD_HASH_CONCURRENCY: { ...integer(1, 64), default: '2' },
  /**
   * Memory of pending responses to the clients of one user, in bytes; 0 = no limit. Beyond the limit, requests get 429 with
   * `Retry-After`.
   */
  ANSWER_MEMORY_PER_USER: { ...integer(0), default: '67108864' },
  /** Memory of pending responses to all users together, in bytes; 0 = no limit. */
  ANSWER_MEMORY: { ...integer(0), default: '536870912' },

  // Maximum numbers
  // An addition beyond one of these limits gets 409; a lowered limit removes nothing. Many of these lists are returned in full, so a
  // higher limit means longer responses (docs/limits.md#numbers-of-things).

  /** Users who have not left. */
  MAX_USERS: { ...integer(1, 100_000), default: '5000' },
  /** Projects that are not deleted. */
  MAX_PROJECTS: { ...integer(1, 100_000), default: '5000' },
  /** Teams of the space. */
  MAX_TEAMS: { ...integer(1, 5000), default: '500' },
  /**
   * Members of one team. A team change writes each of the team's members in each of its projects; with more members or projects,
   * it may need a higher `DATABASE_STATEMENT_TIMEOUT`.
   */
  MAX_TEAM_MEMBERS: { ...integer(1, 1000), default: '200' },
  /** Projects of one team. */
  MAX_TEAM_PROJECTS: { ...integer(1, 1000), default: '100' },
  /** Teams of one project. */
  MAX_PROJECT_TEAMS: { ...integer(1, 1000), default: '50' },
  /** Invitations that can be accepted. */
  MAX_INVITATIONS: { ...integer(1, 100_000), default: '1000' },
  /** API keys of one user. */
  MAX_API_KEYS: { ...integer(1, 1000), default: '100' },
  /** Files of one issue, pull request, wiki page or document; linked shared files are counted separately. */
  MAX_ATTACHED_FILES: { ...integer(1, 1000), default: '100' },
  /** Issue types of one project; a new project has four. */
  MAX_ISSUE_TYPES: { ...integer(3, 5000), default: '100' },
  /** Statuses of one project, including the four standard ones. */
  MAX_STATUSES: { ...integer(4, 1000), default: '12' },
  /** Categories of one project. */
  MAX_CATEGORIES: { ...integer(1, 5000), default: '500' },
  /** Versions of one project. */
  MAX_VERSIONS: { ...integer(1, 5000), default: '500' },
  /** Custom fields of one project. */
  MAX_CUSTOM_FIELDS: { ...integer(1, 100), default: '100' },
  /** Items of one custom field. */
  MAX_CUSTOM_FIELD_ITEMS: { ...integer(1, 200), default: '100' },
  /** Wiki pages of one project. */
  MAX_WIKI_PAGES: { ...integer(1, 20_000), default: '5000' },
  /** Documents of one project, including those in the trash. */
  MAX_DOCUMENTS: { ...integer(1, 20_000), default: '5000' },
  /** Git repositories of one project. */
  MAX_GIT_REPOSITORIES: { ...integer(1, 5000), default: '100' },
  /** Shared files of one project, including their folders. */
  MAX_SHARED_FILES: { ...integer(1, 100_000), default: '10000' },
  /** Files and folders directly in one folder of shared files. */
  MAX_FOLDER_ENTRIES: { ...integer(1, 10_000), default: '1000' },
  /** Webhooks of one project. */
  MAX_WEBHOOKS: { ...integer(1, 1000), default: '100' },
  /** Issues that one user watches. */
  MAX_WATCHINGS: { ...integer(1, 10_000), default: '1000' },
  /** Users who watch one issue. */
  MAX_WATCHERS: { ...integer(1, 1000), default: '500' },
  /** Issues related to one issue, in either direction. */
  MAX_RELATED_ISSUES: { ...integer(1, 1000), default: '50' },
} satisfies Record<string, Setting>;
