import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Request, type Response } from 'express';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { VERSION } from '../config/version';
import { describeEngine } from '../database/connections/engine';
import { serverConnections } from '../database/mysql/server-connections';
import { writerUsage } from '../database/sqlite/sqlite-connections';
import {
  ATTEMPT_OUTCOMES,
  attemptsRecorded,
  backgroundRuns,
  errorsAnswered,
  LETTER_OUTCOMES,
  lettersAttempted,
  uploadsBegun,
  uploadsEnded,
} from '../diagnostics/channels';
import {
  AccessDeniedError,
  DomainError,
  ErrorCode,
  LIMIT_NAMES,
  type LimitName,
  TooManyRequestsError,
} from '../errors/domain-errors';
import { onResponseEnd } from '../http/response/response-end';
import { routeOf } from '../http/server/routes';
import { type ServiceAdapter } from '../http/server/service-adapter';
import { WEBHOOK_CONDITIONS } from '../webhooks/log/webhook-condition';
import { DatabaseFiguresService } from './database-figures.service';
import { createInstruments } from './instruments';

/** Status of a request whose client disconnected before the end of the response. */
const ABORTED = 'aborted';
/** Limit name for clients refused by ALLOWED_ADDRESSES. */
const ALLOWED_ADDRESSES = 'allowed_addresses';
const RESULTS = ['success', 'failure'] as const;

/** Collects metrics: counts the events that the service publishes, and reads other values on each scrape. */
@Injectable()
export class MetricsService implements OnModuleInit, OnApplicationShutdown {
  readonly registry = new Registry();
  private readonly instruments = createInstruments(this.registry);
  private inProgress = 0;
  private subscriptions: (() => void)[] = [];
  private collecting?: Promise<string>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly figures: DatabaseFiguresService,
    private readonly adapterHost: HttpAdapterHost<ServiceAdapter>,
  ) {}

  async onModuleInit(): Promise<void> {
    collectDefaultMetrics({ register: this.registry });
    const database = await describeEngine(this.dataSource);
    this.instruments.buildInfo.set({ version: VERSION, node_version: process.version, database }, 1);
    this.initialize();
    this.watchRequests();
    this.subscribe();
  }

  onApplicationShutdown(): void {
    for (const end of this.subscriptions.splice(0)) end();
  }

  /** Returns all metrics in the text format of Prometheus. Concurrent scrapes share one collection. */
  collect(): Promise<string> {
    this.collecting ??= this.collectNow().finally(() => (this.collecting = undefined));
    return this.collecting;
  }

  private async collectNow(): Promise<string> {
    await this.observeDatabase();
    this.observePool();
    this.instruments.requestsInProgress.set(this.inProgress);
    return this.registry.metrics();
  }

  /** Runs before all other listeners, to measure the whole request. */
  private watchRequests(): void {
    const server = this.adapterHost.httpAdapter.getHttpServer() as Server;
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const start = performance.now();
      this.inProgress++;
      onResponseEnd(response as Response, () => {
        this.inProgress--;
        this.countRequest(request as Request, response, (performance.now() - start) / 1000);
      });
    });
  }

  private countRequest(request: Request, response: ServerResponse, seconds: number): void {
    const { method, route } = routeOf(request);
    const status = response.writableFinished ? String(response.statusCode) : ABORTED;
    this.instruments.requests.inc({ method, route, status });
    this.instruments.requestDuration.observe({ method, route }, seconds);
  }

  /** Counters start at 0 instead of at their first event, which their rate would miss. */
  private initialize(): void {
    const { errors, limitRefusals, webhookAttempts, mailAttempts, uploads } = this.instruments;
    for (const [name, code] of Object.entries(ErrorCode)) {
      if (typeof code === 'number') errors.inc({ code: String(code), name }, 0);
    }
    for (const limit of [...LIMIT_NAMES, ALLOWED_ADDRESSES]) limitRefusals.inc({ limit }, 0);
    for (const outcome of ATTEMPT_OUTCOMES) webhookAttempts.inc({ outcome }, 0);
    for (const outcome of LETTER_OUTCOMES) mailAttempts.inc({ outcome }, 0);
    for (const result of RESULTS) uploads.inc({ result }, 0);
  }

  private subscribe(): void {
    const { instruments } = this;
    this.subscriptions = [
      errorsAnswered.subscribe(({ error }) => this.countError(error)),
      attemptsRecorded.subscribe(({ outcome, duration, isGivenUp }) => {
        instruments.webhookAttempts.inc({ outcome });
        instruments.webhookAttemptDuration.observe(duration / 1000);
        if (isGivenUp) instruments.webhookGivenUp.inc();
      }),
      lettersAttempted.subscribe(({ outcome, isGivenUp }) => {
        instruments.mailAttempts.inc({ outcome });
        if (isGivenUp) instruments.mailGivenUp.inc();
      }),
      backgroundRuns.subscribe(({ work, duration, hasFailed }) => {
        const result = resultOf(!hasFailed);
        for (const name of RESULTS)
          instruments.backgroundRuns.inc({ work, result: name }, name === result ? 1 : 0);
        instruments.backgroundSeconds.inc({ work }, duration / 1000);
      }),
      uploadsBegun.subscribe(() => instruments.uploadsInProgress.inc()),
      uploadsEnded.subscribe(({ bytes }) => {
        instruments.uploadsInProgress.dec();
        instruments.uploads.inc({ result: resultOf(bytes !== undefined) });
        instruments.uploadBytes.inc(bytes ?? 0);
      }),
    ];
  }

  private countError(error: unknown): void {
    const code = error instanceof DomainError ? error.code : ErrorCode.InternalError;
    this.instruments.errors.inc({ code: String(code), name: ErrorCode[code] });
    const limit = limitOf(error);
    if (limit !== undefined) this.instruments.limitRefusals.inc({ limit });
  }

  private observePool(): void {
    const { poolConnections, poolWaiting, poolLimit } = this.instruments;
    const writer = writerUsage(this.dataSource);
    for (const usage of writer ? [writer] : serverConnections(this.dataSource).usage()) {
      const { host } = usage;
      poolConnections.set({ host, state: 'in_use' }, usage.inUse);
      poolConnections.set({ host, state: 'idle' }, usage.idle);
      poolWaiting.set({ host }, usage.waiting);
      poolLimit.set({ host }, usage.limit);
    }
  }

  private async observeDatabase(): Promise<void> {
    const { webhooks, webhookDue, webhookOldestDue, databaseFiguresUp } = this.instruments;
    const { mailPending, mailOldest, mailDuration, mailFailures } = this.instruments;
    const figures = await this.figures.current();
    databaseFiguresUp.set(figures ? 1 : 0);
    if (!figures) {
      for (const gauge of [webhooks, webhookDue, webhookOldestDue]) gauge.reset();
      for (const gauge of [mailPending, mailOldest, mailDuration, mailFailures]) gauge.remove();
      return;
    }
    for (const condition of WEBHOOK_CONDITIONS) {
      const backlog = figures.webhooks[condition];
      webhooks.set({ condition }, backlog.webhooks);
      webhookDue.set({ condition }, backlog.due);
      webhookOldestDue.set({ condition }, backlog.oldestAge / 1000);
    }
    mailPending.set(figures.mail.pending);
    mailOldest.set(figures.mail.oldestAge / 1000);
    mailDuration.set(figures.mail.duration / 1000);
    mailFailures.set(figures.mail.failures);
  }
}

const resultOf = (isSuccess: boolean): (typeof RESULTS)[number] => (isSuccess ? 'success' : 'failure');

/** Returns the limit that an error refers to. */
function limitOf(error: unknown): LimitName | typeof ALLOWED_ADDRESSES | undefined {
  if (error instanceof TooManyRequestsError) return error.limitName;
  return error instanceof AccessDeniedError ? ALLOWED_ADDRESSES : undefined;
}
