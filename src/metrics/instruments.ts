import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** In seconds; a read takes a few milliseconds, an upload may take minutes. */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** In seconds; up to the longest usual timeout. */
const ATTEMPT_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

/**
 * Creates every metric of the service itself, as listed in `docs/operate.md`. Label values come from fixed sets: routes,
 * statuses, names in the code, servers in DATABASE_URL.
 */
export function createInstruments(registry: Registry) {
  const registers = [registry];
  return {
    buildInfo: new Gauge({
      name: 'pms_build_info',
      help: 'Always 1; the labels describe the process.',
      labelNames: ['version', 'node_version', 'database'],
      registers,
    }),
    requests: new Counter({
      name: 'pms_http_requests_total',
      help: 'Requests that have ended, by route and status.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    requestDuration: new Histogram({
      name: 'pms_http_request_duration_seconds',
      help: 'Time from the head of a request to the end of its response.',
      labelNames: ['method', 'route'],
      buckets: REQUEST_BUCKETS,
      registers,
    }),
    requestsInProgress: new Gauge({
      name: 'pms_http_requests_in_progress',
      help: 'Requests that have not been answered completely.',
      registers,
    }),
    errors: new Counter({
      name: 'pms_errors_total',
      help: 'Responses with an error, by its code on the wire.',
      labelNames: ['code', 'name'],
      registers,
    }),
    limitRefusals: new Counter({
      name: 'pms_limit_refusals_total',
      help: 'Requests and connections refused by a rate limit or an address limit.',
      labelNames: ['limit'],
      registers,
    }),
    poolConnections: new Gauge({
      name: 'pms_database_pool_connections',
      help: 'Open connections to the database.',
      labelNames: ['host', 'state'],
      registers,
    }),
    poolWaiting: new Gauge({
      name: 'pms_database_pool_waiting',
      help: 'Statements and transactions that wait for a connection.',
      labelNames: ['host'],
      registers,
    }),
    poolLimit: new Gauge({
      name: 'pms_database_pool_limit',
      help: 'Most connections that the pool opens.',
      labelNames: ['host'],
      registers,
    }),
    webhooks: new Gauge({
      name: 'pms_webhooks',
      help: 'Webhooks of the database: active, paused by an open circuit, or disabled.',
      labelNames: ['condition'],
      registers,
    }),
    webhookDue: new Gauge({
      name: 'pms_webhook_deliveries_due',
      help: 'Deliveries of the database that are due, up to 10000, by the condition of their webhook.',
      labelNames: ['condition'],
      registers,
    }),
    webhookOldestDue: new Gauge({
      name: 'pms_webhook_oldest_due_seconds',
      help: 'How long the oldest due delivery of the database has been due.',
      labelNames: ['condition'],
      registers,
    }),
    databaseFiguresUp: new Gauge({
      name: 'pms_database_figures_up',
      help: '1 if the figures read from the database are current, 0 if they could not be read and are left out.',
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'pms_webhook_attempts_total',
      help: 'Attempts to deliver, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    webhookAttemptDuration: new Histogram({
      name: 'pms_webhook_attempt_duration_seconds',
      help: 'Time of an attempt to deliver.',
      buckets: ATTEMPT_BUCKETS,
      registers,
    }),
    webhookGivenUp: new Counter({
      name: 'pms_webhook_deliveries_failed_total',
      help: 'Deliveries that have failed permanently.',
      registers,
    }),
    mailPending: new Gauge({
      name: 'pms_mail_letters_pending',
      help: 'Letters of the database that wait to be sent, up to 10000.',
      registers,
    }),
    mailOldest: new Gauge({
      name: 'pms_mail_oldest_pending_seconds',
      help: 'Age of the oldest letter of the database that waits.',
      registers,
    }),
    mailDuration: new Gauge({
      name: 'pms_mail_pending_seconds',
      help: 'Time that the letters that wait take at the pace of SMTP_RATE.',
      registers,
    }),
    mailFailures: new Gauge({
      name: 'pms_mail_server_failures',
      help: 'Failures of the mail server since its last success.',
      registers,
    }),
    mailAttempts: new Counter({
      name: 'pms_mail_attempts_total',
      help: 'Attempts to send a letter, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    mailGivenUp: new Counter({
      name: 'pms_mail_letters_failed_total',
      help: 'Letters that have failed permanently.',
      registers,
    }),
    uploads: new Counter({
      name: 'pms_uploads_total',
      help: 'Uploads of files that have ended.',
      labelNames: ['result'],
      registers,
    }),
    uploadBytes: new Counter({
      name: 'pms_upload_bytes_total',
      help: 'Bytes of files that have been stored.',
      registers,
    }),
    uploadsInProgress: new Gauge({
      name: 'pms_uploads_in_progress',
      help: 'Files that are being uploaded.',
      registers,
    }),
    backgroundRuns: new Counter({
      name: 'pms_background_runs_total',
      help: 'Runs of background work.',
      labelNames: ['work', 'result'],
      registers,
    }),
    backgroundSeconds: new Counter({
      name: 'pms_background_run_seconds_total',
      help: 'Time that background work has taken.',
      labelNames: ['work'],
      registers,
    }),
  };
}
