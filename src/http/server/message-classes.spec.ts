import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import express from 'express';
import { messageClassesOf } from './message-classes';

describe(messageClassesOf.name, () => {
  it('sets the prototypes of requests and responses before the application handles them', async () => {
    const application = express();
    application.get('/', (request, response) => {
      response.json({ agent: request.get('User-Agent') });
    });
    const setBefore: boolean[] = [];
    const server = createServer(messageClassesOf(application), (request, response) => {
      const before = [request, response].map((message) => Object.getPrototypeOf(message) as unknown);
      application(request as express.Request, response as express.Response);
      const after = [request, response].map((message) => Object.getPrototypeOf(message) as unknown);
      setBefore.push(...before.map((prototype, index) => prototype === after[index]));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');

    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
      headers: { 'User-Agent': 'sample' },
    });

    expect(await response.json()).toEqual({ agent: 'sample' });
    expect(setBefore).toEqual([true, true]);
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
});
