import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import {
  type Attributes,
  context,
  diag,
  DiagLogLevel,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  NodeTracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import { type Request } from 'express';
import { type Environment } from '../config/environment';
import { parseUrl } from '../config/parse-url';
import { VERSION } from '../config/version';
import { deliveryAttempts, statements } from '../diagnostics/channels';
import { routeOf } from '../http/server/routes';
import { LimitedLogger } from '../logging/limited-logger';
import { exportProblem } from './export-problem';

const NAME = 'project-management-service';
/** Maximum time to send the last spans at shutdown, in milliseconds: a part of the shutdown limit. */
const FLUSH_MS = 2000;
/** Periodic probes, which are not traced. */
const NOT_TRACED = /^\/(health\/|metrics(\?|$))/;
const MAX_STATEMENT_LENGTH = 4000;

/** Traces of this process. */
export interface Tracing {
  /** Sends the remaining spans, for a limited time. Never rejects. */
  stop(): Promise<void>;
}

/** Starts tracing: requests, the statements and other work that they cause, and webhook delivery attempts. */
export function startTracing(environment: Environment): Tracing {
  logProblems();
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': NAME, 'service.version': VERSION }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporterFor(environment))],
  });
  provider.register({ propagator: new W3CTraceContextPropagator() });
  traceRequests(provider);
  const tracer = provider.getTracer(NAME, VERSION);
  traceStatements(tracer);
  traceDeliveries(tracer, environment.WEBHOOK_TRACE_HEADERS);
  return {
    stop: async () => {
      const flushed = provider.shutdown().catch((error: unknown) => diag.warn(String(error)));
      await Promise.race([flushed, sleep(FLUSH_MS, undefined, { ref: false })]);
    },
  };
}

/** Limits the reports of an unreachable collector to a few log lines per minute. */
function logProblems(): void {
  const logger = new LimitedLogger(new Logger('Tracing'));
  const log = (message: string): void =>
    logger.warn({ problem: exportProblem(message) }, 'Traces cannot be sent, or not all of them');
  const nothing = (): void => undefined;
  diag.setLogger(
    { error: log, warn: log, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

function exporterFor(environment: Environment): SpanExporter {
  if (environment.OTEL_TRACES_EXPORTER === 'console') return new ConsoleSpanExporter();
  const Exporter =
    environment.OTEL_EXPORTER_OTLP_PROTOCOL === 'http/json' ? JsonTraceExporter : ProtobufTraceExporter;
  return new Exporter(environment.tracesEndpoint === undefined ? {} : { url: environment.tracesEndpoint });
}

/** Links to set a password, of an invitation, or to end letters: whoever has the address can use it. */
const SECRET_PATH = /^\/(?:password|invitation|mail\/unsubscribe)\//;

/** Names a request after its route's pattern; its query may contain a key, and its path the token of a link, and both are left out. */
function traceRequests(tracerProvider: NodeTracerProvider): void {
  const instrumentation = new HttpInstrumentation({
    disableOutgoingRequestInstrumentation: true,
    ignoreIncomingRequestHook: ({ url = '' }) => NOT_TRACED.test(url),
    startIncomingSpanHook: ({ url = '' }) => ({
      'url.query': undefined,
      ...(SECRET_PATH.test(url) && { 'url.path': undefined }),
    }),
    applyCustomAttributesOnSpan: (span, request) => {
      const { method, route } = routeOf(request as Request);
      span.updateName(`${method} ${route}`);
      span.setAttributes({ 'http.route': route, 'pms.request_id': (request as { id?: string }).id });
    },
  });
  instrumentation.setTracerProvider(tracerProvider);
  // Core modules are instrumented when they are next required.
  const require = createRequire(__filename);
  require('node:http');
  require('node:https');
}

/** Traces the statements of requests; those of the service's own work are not of interest. */
function traceStatements(tracer: Tracer): void {
  statements.subscribe(({ sql, system }) => {
    if (trace.getSpan(context.active()) === undefined) return undefined;
    const operation = /\w+/.exec(sql)?.[0].toUpperCase() ?? 'SQL';
    const attributes: Attributes = {
      'db.system.name': system === 'better-sqlite3' ? 'sqlite' : system,
      'db.operation.name': operation,
      'db.query.text': sql.slice(0, MAX_STATEMENT_LENGTH),
    };
    const span = tracer.startSpan(operation, { kind: SpanKind.CLIENT, attributes });
    return ({ error }) => end(span, error instanceof Error ? error.name : undefined);
  });
}

/** Each attempt is a separate trace: it may run days after the request that caused it. */
function traceDeliveries(tracer: Tracer, sendsHeaders: boolean): void {
  deliveryAttempts.subscribe(({ webhookId, deliveryId, attempt, hookUrl, headers }) => {
    const span = tracer.startSpan('POST webhook', {
      root: true,
      kind: SpanKind.CLIENT,
      attributes: {
        'http.request.method': 'POST',
        // The path of the address may be secret.
        'server.address': parseUrl(hookUrl)?.hostname,
        'pms.webhook_id': webhookId,
        'pms.delivery_id': deliveryId,
        'pms.attempt': attempt,
      },
    });
    if (sendsHeaders) propagation.inject(trace.setSpan(ROOT_CONTEXT, span), headers);
    return ({ status, error }) => {
      if (status !== undefined) span.setAttribute('http.response.status_code', status);
      end(span, error === '' ? undefined : error);
    };
  });
}

function end(span: Span, problem: string | undefined): void {
  if (problem !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: problem });
  span.end();
}
