import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../support/child';
import { eventually } from '../support/webhooks';

const KEY = 'key-of-the-administrator-0123456789abcdef';
const PARENT = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' };
const CONTENT = 'What nobody else should read';
const SECRET_PATH = 'secret-of-the-receiver';

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}

/** A span in the JSON form of OTLP. */
interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Attribute[];
  status: { code?: number };
}

interface TraceRequest {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: ReceivedSpan[] }[] }[];
}

const attributesOf = ({ attributes }: { attributes: Attribute[] }): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

describe('tracing', () => {
  let folder: string;
  let servers: Server[];
  let child: Child;
  let origin: string;
  let traces: TraceRequest[];
  let deliveries: IncomingHttpHeaders[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tracing-'));
    servers = [];
    traces = [];
    deliveries = [];
  });
  afterEach(async () => {
    await child.kill();
    for (const server of servers) server.close().closeAllConnections();
    await rm(folder, { recursive: true });
  });

  /** Starts a server that receives requests, and returns its address. */
  async function listen(take: (body: string, headers: IncomingHttpHeaders) => void): Promise<string> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        take(Buffer.concat(chunks).toString(), request.headers);
        response.end();
      });
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const listenForDeliveries = (): Promise<string> =>
    listen((_body, headers) => void deliveries.push(headers));

  async function start(settings: Record<string, string>): Promise<void> {
    child = new Child(
      'run-service',
      JSON.stringify({
        PORT: '0',
        DATABASE_URL: 'sqlite::memory:',
        STORAGE_URL: `file:${folder}`,
        GIT_PATH: '/nonexistent/git',
        GIT_ROOT: `${folder}/git`,
        ADMIN_API_KEY: KEY,
        DEMO_DATA: 'true',
        LOG_LEVEL: 'fatal',
        SHUTDOWN_GRACE: '0.1',
        WEBHOOK_ALLOW: '127.0.0.0/8',
        OTEL_BSP_SCHEDULE_DELAY: '60000',
        ...settings,
      }),
    );
    for (;;) {
      const line = await child.nextLine();
      if (line === undefined) throw new Error('The service did not start.');
      const address = /^ *Documentation +(http:\/\/\S+)\/api-docs/.exec(line)?.[1];
      if (address === undefined) continue;
      origin = address;
      return;
    }
  }

  const call = (path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${origin}/api/v2${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'X-API-Key': KEY, 'Content-Type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });

  const spans = (): ReceivedSpan[] =>
    traces.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );

  const span = (name: string): ReceivedSpan => {
    const found = spans().find((candidate) => candidate.name === name);
    if (!found) throw new Error(`No span is called ${name}.`);
    return found;
  };

  /** Adds a webhook and an event for it, and waits for the delivery. */
  async function deliver(): Promise<void> {
    const hookUrl = `${await listenForDeliveries()}/${SECRET_PATH}`;
    await call('/projects/DEMO/webhooks', { name: 'Chat', hookUrl, allEvent: true });
    await call('/issues/DEMO-1/comments', { content: CONTENT });
    await eventually(
      () => Promise.resolve(deliveries.length),
      (count) => count > 0,
    );
  }

  it('exports requests by route, their statements and deliveries without secrets', async () => {
    const collector = await listen((body) => void traces.push(JSON.parse(body) as TraceRequest));
    await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    const traceparent = `00-${PARENT.trace}-${PARENT.span}-01`;
    await call(`/issues/DEMO-1?apiKey=${KEY}`, undefined, { traceparent, 'X-Request-Id': 'request-1' });
    await fetch(`${origin}/password/${SECRET_PATH}`);
    await deliver();
    expect(deliveries[0]).not.toHaveProperty('traceparent');
    // No batch was due yet; the shutdown sends it.
    expect(traces).toEqual([]);
    child.signal('SIGTERM');
    expect(await child.outcome()).toEqual([0, null]);

    const request = span('GET /api/v2/issues/:issueIdOrKey');
    expect(request).toMatchObject({ traceId: PARENT.trace, parentSpanId: PARENT.span, kind: 2 });
    expect(attributesOf(request)).toMatchObject({
      'http.route': '/api/v2/issues/:issueIdOrKey',
      'http.response.status_code': 200,
      'pms.request_id': 'request-1',
    });
    const below = ({ spanId }: ReceivedSpan): ReceivedSpan[] =>
      spans().filter(({ parentSpanId }) => parentSpanId === spanId);
    expect(below(request).map(({ name }) => name)).toContain('SELECT');
    expect(attributesOf(below(request)[0] as ReceivedSpan)).toMatchObject({ 'db.system.name': 'sqlite' });
    const write = span('POST /api/v2/issues/:issueIdOrKey/comments');
    expect(below(write).map(({ name }) => name)).toEqual(expect.arrayContaining(['INSERT', 'COMMIT']));

    const delivery = span('POST webhook');
    expect(attributesOf(delivery)).toMatchObject({
      'server.address': '127.0.0.1',
      'http.response.status_code': 200,
      'pms.attempt': 1,
    });
    // Background work is neither a trace nor part of one.
    const roots = spans().filter(({ parentSpanId = '' }) => parentSpanId === '');
    expect(new Set(roots.map(({ kind, name }) => (kind === 2 ? 'request' : name)))).toEqual(
      new Set(['request', 'POST webhook']),
    );
    expect(below(delivery)).toEqual([]);
    expect(
      below(write).some(({ attributes }) => JSON.stringify(attributes).includes('UPDATE webhook_delivery')),
    ).toBe(false);

    const text = JSON.stringify(traces);
    for (const secret of [KEY, SECRET_PATH, CONTENT]) expect(text).not.toContain(secret);
    expect(attributesOf(traces[0]?.resourceSpans[0]?.resource as { attributes: Attribute[] })).toMatchObject({
      'service.name': 'project-management-service',
      'deployment.environment.name': 'test',
    });
  });

  it('lets the service serve and stop while the collector does not answer', async () => {
    let received = '';
    const server = createServer((request) => {
      request.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await start({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${port}/v1/traces`,
      WEBHOOK_TRACE_HEADERS: 'on',
    });
    await deliver();
    expect(deliveries[0]?.traceparent).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-01$/);
    expect((await call('/users/myself')).status).toBe(200);
    const begun = performance.now();
    child.signal('SIGTERM');
    expect(await child.outcome()).toEqual([0, null]);
    expect(performance.now() - begun).toBeLessThan(6000);
    expect(received).toContain('POST webhook');
  });
});
