import 'reflect-metadata';
import { type Response } from 'express';
import { Environment } from '../../config/environment';
import { parseForm } from './form';
import { IdPageQuery } from './page-query';
import { Page, toIdPage } from '../../paging/page';
import { bindRequest } from './request-dto.pipe';
import { ServiceAdapter } from '../server/service-adapter';

const rows = (...ids: number[]): { id: number }[] => ids.map((id) => ({ id }));

describe(toIdPage.name, () => {
  const query = (text: string): IdPageQuery => bindRequest(IdPageQuery, parseForm(text));

  it.each([
    ['continues below the last id', 'count=2', [9, 8, 7], [9, 8], { maxId: 7 }],
    ['continues above the last id in ascending order', 'count=2&order=asc', [7, 8, 9], [7, 8], { minId: 9 }],
    ['ends after a page that is exactly full', 'count=2', [9, 8], [9, 8], undefined],
    ['ends after a partial page', 'count=2', [9], [9], undefined],
    ['ends after an empty page', 'count=2', [], [], undefined],
  ])('%s', (_name, text, found, items, next) => {
    expect(toIdPage(rows(...found), query(text))).toEqual(new Page(rows(...items), next));
  });
});

describe(ServiceAdapter.name, () => {
  const answer = (
    result: unknown,
    request: { originalUrl: string; host?: string; protocol?: string; localAddress?: string },
    settings: { PUBLIC_URL?: string; HOST?: string } = {},
  ): { body: unknown; link?: string } => {
    const headers: Record<string, string> = {};
    let text = '';
    const response = {
      req: {
        method: 'GET',
        originalUrl: request.originalUrl,
        protocol: request.protocol ?? 'http',
        headers: { host: request.host },
        socket: { localAddress: request.localAddress ?? '::ffff:192.0.2.7', localPort: 3000 },
      },
      setHeader: (name: string, value: string) => (headers[name] = value),
      end: (body: string) => (text = body),
    };
    new ServiceAdapter(Object.assign(new Environment(), settings)).reply(
      response as unknown as Response,
      result,
    );
    return { body: JSON.parse(text) as unknown, link: headers.Link };
  };

  const page = new Page(rows(5), { maxId: 4 });
  const host = 'localhost:3000';

  it.each([
    ['/api/v2/x', 'http://localhost:3000/api/v2/x?maxId=4'],
    ['/api/v2/x?count=1&order=desc', 'http://localhost:3000/api/v2/x?count=1&order=desc&maxId=4'],
    ['/api/v2/x?maxId=90&count=1', 'http://localhost:3000/api/v2/x?maxId=4&count=1'],
    ['/api/v2/x?offset=20&count=1', 'http://localhost:3000/api/v2/x?count=1&maxId=4'],
    ['/api/v2/x?offset[]=20&maxId[0]=90&count=1', 'http://localhost:3000/api/v2/x?count=1&maxId=4'],
    ['/api/v2/x?apiKey=secret&count=1', 'http://localhost:3000/api/v2/x?count=1&maxId=4'],
    ['/api/v2/x?apiKey%5B%5D=secret&count=1', 'http://localhost:3000/api/v2/x?count=1&maxId=4'],
    ['/api/v2/a%20b/%E3%81%82', 'http://localhost:3000/api/v2/a%20b/%E3%81%82?maxId=4'],
  ])('sends a Link to the next page of %s', (originalUrl, url) => {
    expect(answer(page, { originalUrl, host })).toEqual({
      body: rows(5),
      link: `<${url}>; rel="next"`,
    });
  });

  it('uses PUBLIC_URL instead of the Host header in the Link', () => {
    const { link } = answer(page, { originalUrl: '/x', host: 'evil.test' }, { PUBLIC_URL: 'https://t.test' });
    expect(link).toBe('<https://t.test/x?maxId=4>; rel="next"');
  });

  it.each([undefined, '', 'a b', '<>', 'evil.test', 'evil.test:3000', 'localhost.evil.test', '192.0.2.7:80'])(
    'uses the address of the connection when the Host header is %j',
    (bad) => {
      const { link } = answer(page, { originalUrl: '/x?count=1', host: bad });
      expect(link).toBe('<http://192.0.2.7:3000/x?count=1&maxId=4>; rel="next"');
    },
  );

  it.each([
    ['localhost:8080', undefined],
    ['127.0.0.1:8080', undefined],
    ['[::1]:8080', undefined],
    ['192.0.2.7:3000', undefined],
    ['tracker.test:3000', 'tracker.test'],
  ])('uses the Host header %s', (good, HOST) => {
    const { link } = answer(page, { originalUrl: '/x', host: good }, { HOST });
    expect(link).toBe(`<http://${good}/x?maxId=4>; rel="next"`);
  });

  it('puts an IPv6 address in brackets', () => {
    const { link } = answer(page, { originalUrl: '/x', host: 'evil.test', localAddress: '2001:db8::7' });
    expect(link).toBe('<http://[2001:db8::7]:3000/x?maxId=4>; rel="next"');
  });

  it('keeps encoded angle brackets and line breaks encoded in the Link', () => {
    const { link } = answer(page, { originalUrl: '/x?count=1%3E%3B%0d%0a', host });
    expect(link).toMatch(/^<[^<>\r\n]*>; rel="next"$/);
  });

  it('sends no Link on the last page', () => {
    expect(answer(new Page(rows(1)), { originalUrl: '/x', host })).toEqual({
      body: rows(1),
      link: undefined,
    });
  });

  it('sends a value that is not a page unchanged, without a Link', () => {
    expect(answer({ items: [1] }, { originalUrl: '/x', host })).toEqual({
      body: { items: [1] },
      link: undefined,
    });
  });
});
