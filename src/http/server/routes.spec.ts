import { type NextFunction, type Request, type Response } from 'express';
import { Routes } from './routes';

describe(Routes.name, () => {
  const routes = new Routes();
  const called: { name: string; params: object }[] = [];
  const handler =
    (name: string) =>
    (request: Request): void =>
      void called.push({ name, params: { ...request.params } });

  routes.add('GET', '/users/:userId', handler('one'));
  routes.add('GET', '/users/myself', handler('myself'));
  routes.add('DELETE', '/users/:userId', handler('delete'));
  routes.add('POST', '/users/:userId/keys/:keyId', handler('key'));

  routes.add('GET', '/files/:fileId', handler('file'));
  routes.add('GET', '/files/metadata/*path', handler('rest'));

  routes.add('GET', '/pulls/:number', handler('pull'));
  routes.add('GET', '/pulls/:number.diff', handler('diff'));
  routes.add('GET', '/pulls/:number.patch', handler('patch'));

  const call = (method: string, url: string): { name: string; params: object } => {
    called.length = 0;
    const goOn: NextFunction = () => called.push({ name: 'next', params: {} });
    routes.handle({ method, url } as Request, {} as Response, goOn);
    return called[0] as { name: string; params: object };
  };

  it.each([
    ['GET', '/users/7', 'one', { userId: '7' }],
    ['GET', '/users/7?count=1', 'one', { userId: '7' }],
    ['HEAD', '/users/7', 'one', { userId: '7' }],
    ['GET', '/users/myself', 'myself', {}],
    // This path has no DELETE of its own; `myself` is an ordinary id there.
    ['DELETE', '/users/myself', 'delete', { userId: 'myself' }],
    ['GET', '/users/a%2Fb%20c', 'one', { userId: 'a/b c' }],
    ['POST', '/users/1/keys/2', 'key', { userId: '1', keyId: '2' }],
    ['GET', `/users/${'9'.repeat(500)}`, 'one', { userId: '9'.repeat(500) }],
    ['GET', '/users/__proto__', 'one', { userId: '__proto__' }],
    ['GET', '/files/metadata/', 'rest', { path: '' }],
    ['GET', '/files/metadata/a/b%2Fc%20/?count=1', 'rest', { path: 'a/b/c /' }],
    ['HEAD', `/files/metadata/${'漢'.repeat(2000)}`, 'rest', { path: '漢'.repeat(2000) }],
    ['GET', '/files/metadata', 'file', { fileId: 'metadata' }],
    ['GET', '/pulls/7', 'pull', { number: '7' }],
    ['GET', '/pulls/7.diff?count=1', 'diff', { number: '7' }],
    ['HEAD', '/pulls/7.patch', 'patch', { number: '7' }],
    ['GET', '/pulls/7.diff.patch', 'patch', { number: '7.diff' }],
    ['GET', '/pulls/7.txt', 'pull', { number: '7.txt' }],
    ['GET', '/pulls/.diff', 'pull', { number: '.diff' }],
  ])('routes %s %s to the handler "%s"', (method, url, name, params) => {
    expect(call(method, url)).toEqual({ name, params });
  });

  it.each([
    ['GET', '/users'],
    ['GET', '/users/'],
    ['GET', '/users/7/'],
    ['GET', '//users/7'],
    ['GET', '/Users/7'],
    ['PATCH', '/users/7'],
    ['BREW', '/users/7'],
    ['GET', '/users/%E0%A4%A'],
    ['GET', '/users/%'],
    ['POST', '/users//keys/2'],
    ['GET', '*'],
    ['POST', '/files/metadata/a'],
    ['GET', '/files/metadata/%E0%A4%A'],
  ])('passes %s %s to the next handler', (method, url) => {
    expect(call(method, url)).toMatchObject({ name: 'next' });
  });

  it('lists the methods of a path', () => {
    expect(routes.methodsOf('/users/7')).toEqual(['DELETE', 'GET', 'HEAD']);
    expect(routes.methodsOf('/users/1/keys/2')).toEqual(['POST']);
    expect(routes.methodsOf('/nothing')).toEqual([]);
    expect(routes.methodsOf('/users/%')).toEqual([]);
  });
});
