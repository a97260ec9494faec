import { DatabaseFiguresService } from '../../src/metrics/database-figures.service';
import { MetricsEndpointService } from '../../src/metrics/metrics-endpoint.service';
import { WebhookRemovalService } from '../../src/webhooks/webhook-removal.service';
import { describeOnServer } from '../support/engines';
import { type Samples, scrape } from '../support/metrics';
import { type HangingWorld, startHangingWorld } from '../support/outage';
import { disable, eventually, QUICK_DELIVERY, useWebhook } from '../support/webhooks';
import { useWorld, World } from '../support/world';

const ENVIRONMENT = { METRICS_PORT: '0', MAX_FAILED_KEYS: '2', ...QUICK_DELIVERY };
const TOKEN = 'token-of-the-scraper';

/** Makes the next scrape read the figures from the database, however recent the last ones are. */
function forgetFigures(figures: DatabaseFiguresService): void {
  (figures as unknown as { last: undefined }).last = undefined;
}

describe('GET /metrics', () => {
  const tested = useWebhook(useWorld(ENVIRONMENT));
  let before: Samples;

  const scraped = (): Promise<Samples> => {
    forgetFigures(tested.world.service(DatabaseFiguresService));
    return scrape(tested.world);
  };

  /** Returns the growth of a sample since the beginning of the test, once there is any. */
  const growth = async (name: string): Promise<number> =>
    (await eventually(scraped, (now) => (now.get(name) ?? 0) > (before.get(name) ?? 0))).get(name)! -
    (before.get(name) ?? 0);

  beforeEach(async () => {
    before = await scraped();
  });

  it('counts requests by route pattern, never by URL', async () => {
    const { project, owner } = tested;
    await owner.api.get(`/projects/${project.key}?apiKey=${owner.key}`);
    await tested.world.anonymous.get('/no/such/operation');
    const labels = 'method="GET",route="/api/v2/projects/:projectIdOrKey"';
    expect(await growth(`pms_http_requests_total{${labels},status="200"}`)).toBe(1);
    expect(await growth(`pms_http_request_duration_seconds_count{${labels}}`)).toBe(1);
    expect(await growth('pms_http_requests_total{method="GET",route="none",status="404"}')).toBe(1);
    const names = [...(await scraped()).keys()].join('\n');
    expect(names).not.toContain(project.key);
    expect(names).not.toContain(owner.key);
    expect(names).not.toContain('such');
  });

  it('shows requests and uploads in progress', async () => {
    const { owner } = tested;
    await eventually(scraped, (now) => now.get('pms_http_requests_in_progress') === 0);
    let finish: () => void = () => undefined;
    const body = new ReadableStream({
      start: (controller) => {
        const send = (text: string): void => controller.enqueue(new TextEncoder().encode(text));
        send('--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc');
        finish = () => {
          send('\r\n--b--\r\n');
          controller.close();
        };
      },
    });
    const upload = fetch(`${tested.world.server.baseUrl}/space/attachment`, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'X-API-Key': owner.key, 'Content-Type': 'multipart/form-data; boundary=b' },
    });
    const during = await eventually(scraped, (now) => now.get('pms_uploads_in_progress') === 1);
    expect(during.get('pms_http_requests_in_progress')).toBe(1);
    finish();
    expect((await upload).status).toBe(200);
    await owner.api.post('/space/attachment', { not: 'a file' });
    expect(await growth('pms_uploads_total{result="success"}')).toBe(1);
    expect(await growth('pms_uploads_total{result="failure"}')).toBe(1);
    expect(await growth('pms_upload_bytes_total')).toBe(3);
    expect((await scraped()).get('pms_uploads_in_progress')).toBe(0);
  });

  it('counts errors by code and refusals by limit', async () => {
    for (let times = 0; times < 3; times++) {
      await fetch(`${tested.world.server.baseUrl}/users/myself`, { headers: { 'X-API-Key': 'wrong' } });
    }
    expect(await growth('pms_errors_total{code="11",name="AuthenticationError"}')).toBe(2);
    expect(await growth('pms_errors_total{code="13",name="TooManyRequestsError"}')).toBe(1);
    expect(await growth('pms_limit_refusals_total{limit="failed_keys"}')).toBe(1);
  });

  it('counts webhook attempts by outcome, and deliveries that finally failed', async () => {
    tested.endpoint.answerWith({}, { status: 500 });
    await tested.comment();
    await tested.comment();
    expect(await growth('pms_webhook_deliveries_failed_total')).toBe(1);
    const now = await scraped();
    const grown = (outcome: string): number => {
      const name = `pms_webhook_attempts_total{outcome="${outcome}"}`;
      return (now.get(name) ?? 0) - (before.get(name) ?? 0);
    };
    expect({ delivered: grown('delivered'), refused: grown('refused') }).toEqual({
      delivered: 1,
      refused: 3,
    });
    expect(now.get('pms_webhook_attempt_duration_seconds_count')).toBeGreaterThanOrEqual(4);
  });

  it('shows webhooks, due deliveries and their age by condition', async () => {
    const { world, webhook } = tested;
    await tested.keepEvents(3);
    await world.dataSource.query(
      'UPDATE webhook_delivery SET next_at = next_at - 60000 WHERE webhook_id = ?',
      [webhook.id],
    );
    const disabled = 'condition="disabled"';
    const now = await scraped();
    const growthOf = (name: string): number => (now.get(name) ?? 0) - (before.get(name) ?? 0);
    expect(growthOf(`pms_webhooks{${disabled}}`)).toBe(1);
    expect(growthOf(`pms_webhook_deliveries_due{${disabled}}`)).toBe(3);
    expect(now.get(`pms_webhook_oldest_due_seconds{${disabled}}`)).toBeGreaterThanOrEqual(60);
    await world.dataSource.query(
      'UPDATE webhook_health SET enabled = ?, paused_until = ? WHERE webhook_id = ?',
      [true, Date.now() + 3_600_000, webhook.id],
    );
    const later = await scraped();
    expect(later.get('pms_webhook_deliveries_due{condition="paused"}')).toBe(3);
    expect(later.get('pms_webhooks{condition="paused"}')).toBe(1);
    await disable(world, webhook);
  });

  it('reads the database at most once every few seconds', async () => {
    const { world } = tested;
    const read = vi.spyOn(world.dataSource, 'query');
    await Promise.all([scrape(world), scrape(world)]);
    await scrape(world);
    const statements = read.mock.calls.filter(([sql]) => sql.includes('webhook_condition'));
    read.mockRestore();
    expect(statements.length).toBeLessThanOrEqual(1);
  });

  it('counts background work', async () => {
    tested.world
      .service<{ background: { start(): void } }>(WebhookRemovalService as never)
      .background.start();
    expect(await growth('pms_background_runs_total{work="webhook_removal",result="success"}')).toBe(1);
    expect(await growth('pms_background_run_seconds_total{work="webhook_removal"}')).toBeGreaterThan(0);
  });

  it('describes the process, its event loop and its database connections', () => {
    const text = [...before.keys()].join('\n');
    expect(text).toMatch(
      /^pms_build_info\{version="[\d.]+",node_version="v\d[^"]*",database="(SQLite|MariaDB|MySQL) [\d.]+[^"]*"\}$/m,
    );
    expect(before.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    expect(before.get('process_cpu_seconds_total')).toBeGreaterThan(0);
    const [, host] = /^pms_database_pool_limit\{host="([^"]+)"\}$/m.exec(text) ?? [];
    const limit = before.get(`pms_database_pool_limit{host="${host}"}`)!;
    const inUse = before.get(`pms_database_pool_connections{host="${host}",state="in_use"}`)!;
    const idle = before.get(`pms_database_pool_connections{host="${host}",state="idle"}`)!;
    expect(inUse + idle).toBeGreaterThan(0);
    expect(inUse + idle).toBeLessThanOrEqual(limit);
    expect(before.has(`pms_database_pool_waiting{host="${host}"}`)).toBe(true);
  });

  it('shows the database connections in use', async () => {
    const { world } = tested;
    const inUse = (samples: Samples): number =>
      [...samples].find(([name]) => /^pms_database_pool_connections\{.*in_use/.test(name))?.[1] ?? NaN;
    await world.write(async (manager) => {
      await manager.query('SELECT 1');
      // The dispatcher uses a connection now and then.
      await eventually(
        () => scrape(world),
        (now) => inUse(now) === 1,
      );
    });
    await eventually(
      () => scrape(world),
      (now) => inUse(now) === 0,
    );
  });

  it('answers on its own port only, without an API key', async () => {
    const { port } = tested.world.service(MetricsEndpointService);
    const own = (path: string, method = 'GET'): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}${path}`, { method });
    const response = await own('/metrics?debug=1');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect((await own('/')).status).toBe(404);
    expect((await own('/metrics', 'POST')).status).toBe(405);
    expect(await (await own('/metrics', 'HEAD')).text()).toBe('');
    const origin = new URL(tested.world.server.baseUrl).origin;
    expect((await fetch(`${origin}/metrics`)).status).toBe(404);
  });
});

describe('a METRICS_PORT in use', () => {
  const tested = useWorld(ENVIRONMENT);

  it('keeps the service from starting and is named in the error', async () => {
    const { port } = tested.world.service(MetricsEndpointService);
    await expect(World.start({ METRICS_PORT: String(port) })).rejects.toThrow(
      /^METRICS_PORT cannot be used: .*EADDRINUSE/,
    );
  });
});

describe('GET /metrics on the port of the service', () => {
  const tested = useWorld({ METRICS_TOKEN: TOKEN, MAX_FAILED_KEYS: '2' });

  const get = (authorization?: string): Promise<Response> =>
    fetch(`${new URL(tested.world.server.baseUrl).origin}/metrics`, {
      headers: authorization === undefined ? {} : { Authorization: authorization },
    });

  it('returns the metrics for the token', async () => {
    const response = await get(`Bearer ${TOKEN}`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('pms_build_info{');
  });

  it('answers 401 without the token and 429 after repeated failures', async () => {
    const statuses: number[] = [];
    for (const text of [undefined, `Bearer ${TOKEN}x`, `Bearer ${tested.world.admin.key}`]) {
      statuses.push((await get(text)).status);
    }
    expect(statuses).toEqual([401, 401, 429]);
    expect((await get(`Bearer ${TOKEN}`)).status).toBe(200);
  });
});

describe('GET /metrics without a setting for metrics', () => {
  const tested = useWorld();

  it('answers 404', async () => {
    const origin = new URL(tested.world.server.baseUrl).origin;
    expect((await fetch(`${origin}/metrics`)).status).toBe(404);
    expect(() => tested.world.service(MetricsEndpointService)).toThrow();
  });
});

describeOnServer('GET /metrics while the database hangs', () => {
  let hanging: HangingWorld;

  beforeAll(async () => {
    hanging = await startHangingWorld({ METRICS_PORT: '0', DATABASE_POOL_SIZE: '2' });
  });
  afterAll(() => hanging.stop());

  it('answers in time without the figures from the database', async () => {
    const { world } = hanging;
    expect((await scrape(world)).get('pms_database_figures_up')).toBe(1);
    forgetFigures(world.service(DatabaseFiguresService));
    hanging.hang();
    const start = performance.now();
    const samples = await scrape(world);
    expect(performance.now() - start).toBeLessThan(4000);
    hanging.goOn();
    expect(samples.get('pms_database_figures_up')).toBe(0);
    expect([...samples.keys()].filter((name) => name.startsWith('pms_webhooks'))).toEqual([]);
    await eventually(
      () => scrape(world),
      (now) => now.get('pms_database_figures_up') === 1,
    );
  });
});
