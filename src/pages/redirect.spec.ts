import { localPath } from './redirect';

describe(localPath.name, () => {
  it.each(['/', '/account', '/account/keys?x=1#y', '/view/DEMO-1#comment-3'])('accepts %s', (path) => {
    expect(localPath(path, '/otherwise')).toBe(path);
  });

  it.each([
    undefined,
    '',
    'account',
    '//evil.test',
    '/\\evil.test',
    '/a\\b',
    'https://evil.test',
    'javascript:alert(1)',
    '/a b',
    '/a\r\nSet-Cookie: x=1',
    '/\t/evil.test',
    '/ä',
  ])('refuses %s', (path) => {
    expect(localPath(path, '/otherwise')).toBe('/otherwise');
  });
});
