import { targetMatcher } from './fault-target';

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
  ])('with the path %s and %j: %s', (path, given, expected) => {
    expect(targetMatcher({ path })('GET', given)).toBe(expected);
  });

  it('compares methods without regard to case, and remembers nothing', () => {
    expect(targetMatcher({ method: 'post' })('POST', '/a')).toBe(true);
    expect(targetMatcher({ method: 'POST' })('GET', '/a')).toBe(false);
    const matches = targetMatcher({ path: /a/gy });
    expect([matches('GET', 'a'), matches('GET', 'a')]).toEqual([true, true]);
  });

  it('refuses a path that can match nothing', () => {
    expect(() => targetMatcher({ path: 'issues' })).toThrow(TypeError);
    expect(() => targetMatcher({ path: 'http://127.0.0.1/issues' })).toThrow(TypeError);
  });
});
