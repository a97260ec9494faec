import { type Environment, useWorld } from '../support/world';

const PAGE = 'https://board.example';

describe('CORS', () => {
  describe.each<[string, Environment, string | null, string | null]>([
    ['by default', {}, '*', '*'],
    ['with CORS_ORIGINS set to two origins', { CORS_ORIGINS: `https://other.example,${PAGE}` }, PAGE, null],
    ['with CORS_ORIGINS=off', { CORS_ORIGINS: 'off' }, null, null],
  ])('%s', (_, environment, ofPage, ofStranger) => {
    const tested = useWorld({ ...environment, ALLOWED_ADDRESSES: '127.0.0.1' });

    const ask = (path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response> =>
      fetch(tested.world.server.baseUrl + path, init);

    const allowed = ({ headers }: Response): string | null => headers.get('access-control-allow-origin');

    it('sends the same Access-Control headers with 200, 404 and 401', async () => {
      const { key } = tested.world.admin;
      const statuses: number[] = [];
      for (const [path, given] of [
        ['/space', key],
        ['/issues/NONE-1', key],
        ['/space', 'wrong'],
      ] as const) {
        const headers = { 'X-API-Key': given };
        const page = await ask(path, { headers: { ...headers, Origin: PAGE } });
        const stranger = await ask(path, { headers: { ...headers, Origin: 'https://stranger.example' } });
        statuses.push(page.status);
        expect([allowed(page), allowed(stranger)]).toEqual([ofPage, ofStranger]);
        expect(page.headers.get('access-control-allow-credentials')).toBeNull();
        if (ofPage !== null) {
          const exposed = page.headers.get('access-control-expose-headers')?.split(',');
          expect(exposed).toEqual(expect.arrayContaining(['Link', 'X-RateLimit-Remaining', 'X-Request-Id']));
        }
        if (ofPage === PAGE) expect(stranger.headers.get('vary')).toContain('Origin');
      }
      expect(statuses).toEqual([200, 404, 401]);
    });

    it('answers a preflight without a key', async () => {
      const preflight = {
        Origin: PAGE,
        'Access-Control-Request-Method': 'PATCH',
        'Access-Control-Request-Headers': 'x-api-key,content-type',
      };
      const { status, headers } = await ask('/issues/DEMO-1', { method: 'OPTIONS', headers: preflight });
      expect({
        status,
        origin: headers.get('access-control-allow-origin'),
        methods: headers.get('access-control-allow-methods'),
        headers: headers.get('access-control-allow-headers'),
      }).toEqual(
        ofPage === null
          ? { status: 405, origin: null, methods: null, headers: null }
          : {
              status: 204,
              origin: ofPage,
              methods: 'GET,HEAD,PUT,PATCH,POST,DELETE',
              headers: preflight['Access-Control-Request-Headers'],
            },
      );
    });

    it.each<[string, number, Record<string, string>, string | undefined]>([
      ['without an Origin header', 405, {}, undefined],
      ['without Access-Control-Request-Method', 405, { Origin: PAGE }, undefined],
      [
        'with a body',
        ofPage === null ? 405 : 400,
        { Origin: PAGE, 'Access-Control-Request-Method': 'GET' },
        'x',
      ],
    ])('refuses an OPTIONS request %s', async (_what, expected, headers, body) => {
      const { status } = await ask('/issues/DEMO-1', { method: 'OPTIONS', headers, ...(body && { body }) });
      expect(status).toBe(expected);
    });
  });
});
