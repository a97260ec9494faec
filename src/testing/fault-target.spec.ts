import { checkTarget, type FaultTarget, targetMatcher } from './fault-target';

describe('targetMatcher', () => {
  it.each<[string | RegExp | undefined, string, boolean]>([
    [undefined, '/anything', true],
    ['/issues', '/issues', true],
    ['/issues', '/issues/1', false],
    ['/issues/:issueIdOrKey/comments', '/issues/DEMO-1/comments', true],
    ['/issues/:issueIdOrKey/comments', '/issues/a/b/comments', false],
    ['/issues/:issueIdOrKey/comments', '/issues//comments', false],
    ['/issues/*', '/issues/DEMO-1/comments/2', true],
    ['/issues/*', '/issues', false],
    ['*', '/a/b', true],
    ['*/comments', '/issues/1/comments', true],
    ['/a.b(c)', '/a.b(c)', true],
    ['/a.b', '/axb', false],
    ['/projects/:key/files/*', '/projects/日本/files/a\nb/c', true],
    [/^\/issues\/\d+$/, '/issues/12', true],
    [/^\/issues\/\d+$/, '/issues/DEMO-1', false],
  ])('compares the path %s with %j and returns %s', (path, given, expected) => {
    expect(targetMatcher({ path })('GET', given)).toBe(expected);
  });

  it('compares methods case-insensitively and keeps no state between calls', () => {
    expect(targetMatcher({ method: 'post' })('POST', '/a')).toBe(true);
    expect(targetMatcher({ method: 'POST' })('GET', '/a')).toBe(false);
    const matches = targetMatcher({ path: /a/gy });
    expect([matches('GET', 'a'), matches('GET', 'a')]).toEqual([true, true]);
  });
});

describe('checkTarget', () => {
  const ROUTES = [
    '/api/v2/issues',
    '/api/v2/issues/:issueIdOrKey/comments',
    '/api/v2/files/*path',
    '/health/live',
  ];
  const check = (target: unknown, base = '/api/v2') => checkTarget(target as FaultTarget, base, ROUTES);

  it.each([
    {},
    { method: 'post' },
    { path: '/issues' },
    { path: '/issues/:issueIdOrKey/comments' },
    { path: '/issues/DEMO-1/comments' },
    { path: '/:anything/:id/comments' },
    { path: '/files/a/b/c' },
    { path: '/issues/*' },
    { path: '*' },
    { path: /nowhere/ },
  ])('accepts %j', (target) => {
    expect(() => check(target)).not.toThrow();
  });

  it.each<[string, unknown, RegExp]>([
    ['a misspelt field', { metod: 'GET' }, /not metod/],
    ['a misspelt method', { method: 'GTE' }, /one of DELETE, GET/],
    ['a method that is not a string', { method: 1 }, /one of DELETE, GET/],
    ['a path that is not a string', { path: 1 }, /string or a regular expression/],
    ['a path without a slash', { path: 'issues' }, /begins with a slash/],
    ['a URL', { path: 'http://127.0.0.1/issues' }, /begins with a slash/],
    ['the base path', { path: '/api/v2/issues' }, /leave out \/api\/v2/],
    ['a query', { path: '/issues?count=1' }, /no query/],
    ['a misspelt path', { path: '/isues' }, /No operation has the path \/isues/],
    ['a path that is too short', { path: '/issues/DEMO-1' }, /No operation/],
    ['a slash at the end', { path: '/issues/' }, /No operation/],
    ['a path outside the base path', { path: '/health/live' }, /No operation/],
  ])('refuses %s', (_what, target, message) => {
    expect(() => check(target)).toThrow(TypeError);
    expect(() => check(target)).toThrow(message);
  });

  it('accepts a full route when the base path is empty', () => {
    expect(() => check({ path: '/health/live' }, '')).not.toThrow();
  });
});
