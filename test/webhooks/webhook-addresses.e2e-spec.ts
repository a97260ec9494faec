import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import { useReceiver } from '../support/receiver';
import { errorShape } from '../support/shapes';
import { QUICK_DELIVERY, useDeliveries } from '../support/webhooks';
import { useWorld } from '../support/world';

const PUBLIC = { address: '93.184.216.34', family: 4 };
const PRIVATE = { address: '127.0.0.1', family: 4 };
const REFUSED = 'The address is not public. The operator can set WEBHOOK_ALLOW to allow it.';

/** Replaces the variant of `lookup` that returns all addresses. */
const lookUp = vi.fn<(name: string) => Promise<{ address: string; family: number }[]>>();

describe('the address check of webhooks', () => {
  const listening = useReceiver();
  const started = useWorld(() => ({
    ...QUICK_DELIVERY,
    WEBHOOK_ALLOW: `inside.example,ported.example:${listening.receiver.port},other.example:1`,
  }));
  const tested = useDeliveries(started, listening);

  beforeAll(() => {
    vi.spyOn(dns, 'lookup').mockImplementation(lookUp as unknown as typeof dns.lookup);
    syncBuiltinESMExports();
  });
  afterAll(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  beforeEach(() => void lookUp.mockReset());

  const at = (host: string, url: string): { url: string } => ({ url: url.replace('127.0.0.1', host) });

  it.each([
    ['a private address', [PRIVATE]],
    ['a public and a private address', [PUBLIC, PRIVATE]],
    ['an IPv4-mapped private address', [{ address: '::ffff:127.0.0.1', family: 6 }]],
  ])('refuses a delivery to a saved public name that now has %s', async (_what, later) => {
    const endpoint = tested.receiver.endpoint();
    lookUp.mockResolvedValueOnce([PUBLIC]).mockResolvedValue(later);
    const webhook = await tested.addWebhook(at('rebound.example', endpoint.url));
    await tested.comment();
    const { attempts } = await webhook.firstDelivery(({ state }) => state === 'failed');
    expect(attempts.map(({ status, error }) => [status, error])).toEqual(Array(3).fill([null, REFUSED]));
    expect(endpoint.requests).toEqual([]);
    expect(lookUp).toHaveBeenCalledWith('rebound.example', { all: true });
  });

  it('looks a name up once per connection', async () => {
    const endpoint = tested.receiver.endpoint();
    lookUp.mockResolvedValueOnce([PRIVATE]).mockResolvedValueOnce([PRIVATE]).mockResolvedValue([PUBLIC]);
    await tested.addWebhook(at('inside.example', endpoint.url));
    await tested.comment();
    await endpoint.received(1);
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  it('permits a name that cannot be resolved until later', async () => {
    const endpoint = tested.receiver.endpoint();
    lookUp.mockRejectedValueOnce(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
    lookUp.mockResolvedValue([PRIVATE]);
    await tested.addWebhook(at('inside.example', endpoint.url));
    await tested.comment();
    const [request] = await endpoint.received(1);
    expect(request?.headers.host).toBe(`inside.example:${tested.receiver.port}`);
  });

  it('fails a delivery to a name that cannot be resolved', async () => {
    lookUp.mockRejectedValue(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
    const webhook = await tested.addWebhook({ url: 'http://nosuch.example/' });
    await tested.comment();
    const { attempts } = await webhook.firstDelivery(({ state }) => state === 'failed');
    expect(attempts[0]?.error).toMatch(/ENOTFOUND/);
  });

  it('permits a private address when WEBHOOK_ALLOW has its host and port', async () => {
    const endpoint = tested.receiver.endpoint();
    lookUp.mockResolvedValue([PRIVATE]);
    await tested.addWebhook(at('ported.example', endpoint.url));
    await tested.comment();
    expect(await endpoint.received(1)).toHaveLength(1);
  });

  it('prevents a redirect from an allowed name to a private address', async () => {
    const target = tested.receiver.endpoint();
    const endpoint = tested.receiver.endpoint({ status: 307, headers: { Location: target.url } });
    lookUp.mockResolvedValue([PRIVATE]);
    const webhook = await tested.addWebhook(at('inside.example', endpoint.url));
    await tested.comment();
    await webhook.firstDelivery(({ state }) => state === 'failed');
    expect(endpoint.requests).toHaveLength(3);
    expect(target.requests).toEqual([]);
  });

  it('refuses a delivery to a private address stored in the database', async () => {
    const endpoint = tested.receiver.endpoint();
    const webhook = await tested.addWebhook(at('inside.example', endpoint.url));
    await tested.world.dataSource.query('UPDATE webhook SET hook_url = ? WHERE id = ?', [
      endpoint.url,
      webhook.id,
    ]);
    await tested.comment();
    const { attempts } = await webhook.firstDelivery(({ state }) => state === 'failed');
    expect(attempts[0]).toMatchObject({ status: null, error: REFUSED });
    expect(endpoint.requests).toEqual([]);
  });

  it.each([
    ['a private address', 'http://10.0.0.1/', [PUBLIC]],
    ['a private address in hexadecimal', 'http://0x7f.1/', [PUBLIC]],
    ['the metadata address of a cloud', 'http://169.254.169.254/latest/meta-data', [PUBLIC]],
    ['a loopback address in IPv6', 'http://[::1]:3000/', [PUBLIC]],
    ['a name with a private address', 'http://private.example/', [PRIVATE]],
    ['a name with a public and a private address', 'http://private.example/', [PUBLIC, PRIVATE]],
    ['an allowed name at another port', 'http://other.example:2/', [PRIVATE]],
    ['a subdomain of an allowed name', 'http://a.inside.example/', [PRIVATE]],
  ])('returns 400 and saves nothing for %s', async (_what, hookUrl, addresses) => {
    const { world, project, owner, webhooks } = tested;
    lookUp.mockResolvedValue(addresses);
    const answer = await owner.api.post(webhooks, { name: 'Chat', hookUrl });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(errorShape(7, ['hookUrl']));
    expect(await world.dataSource.query('SELECT id FROM webhook WHERE project_id = ?', [project.id])).toEqual(
      [],
    );
  });
});
