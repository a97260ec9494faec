import { once } from 'node:events';
import { type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type INestApplication, NotFoundException } from '@nestjs/common';
import express, { type RequestHandler } from 'express';
import { withCachedPages } from './cached-pages';

describe(withCachedPages.name, () => {
  let server: Server;
  let url: string;
  const write = vi.fn();

  beforeAll(async () => {
    const adapter = express();
    const app = withCachedPages({ getHttpAdapter: () => adapter } as unknown as INestApplication);
    const page: RequestHandler = async (request, response) => {
      write();
      await Promise.resolve();
      response.type('text/html').send(`<é ${request.originalUrl}>`);
    };
    app.getHttpAdapter().get('/page', page as never);
    app.getHttpAdapter().get('/missing', () => {
      throw new NotFoundException();
    });
    server = adapter.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('renders a page once, whatever the query and the Host header', async () => {
    const answers = await Promise.all(
      ['/page?a=/', '/page', '/page?b'].map((path) =>
        fetch(url + path, { headers: { Host: 'evil.example' } }),
      ),
    );
    for (const answer of answers) {
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('content-length')).toBe('10');
      expect(await answer.text()).toBe('<é /page>');
    }
    expect(write).toHaveBeenCalledTimes(1);
  });

  it('answers HEAD with 200 and no body', async () => {
    const answer = await fetch(`${url}/page`, { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  it('answers 404 for a missing page', async () => {
    for (let times = 0; times < 2; times++) {
      expect((await fetch(`${url}/missing`)).status).toBe(404);
    }
  });
});
