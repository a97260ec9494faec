import { isDatabaseUrl, parseServerUrl } from './server-url';

const PLAIN = { username: '', password: '', isEncrypted: false, authorityFile: undefined, syncWait: 0 };

describe(parseServerUrl.name, () => {
  it.each([
    [
      'mysql://localhost/tracker',
      { ...PLAIN, type: 'mysql', servers: [{ host: 'localhost', port: 3306 }], database: 'tracker' },
    ],
    [
      'mariadb://u%2F:p%40:@x@[::1]:3307,b.example,10.0.0.1:1/db%20x?ssl=true&wsrep-sync-wait=1',
      {
        ...PLAIN,
        type: 'mariadb',
        servers: [
          { host: '::1', port: 3307 },
          { host: 'b.example', port: 3306 },
          { host: '10.0.0.1', port: 1 },
        ],
        username: 'u/',
        password: 'p@:@x',
        database: 'db x',
        isEncrypted: true,
        syncWait: 1,
      },
    ],
    [
      'mysql://u@h/d?ssl-ca=/etc/ca%20one.pem',
      {
        ...PLAIN,
        type: 'mysql',
        servers: [{ host: 'h', port: 3306 }],
        username: 'u',
        database: 'd',
        isEncrypted: true,
        authorityFile: '/etc/ca one.pem',
      },
    ],
  ])('reads %s', (text, url) => {
    expect(parseServerUrl(text)).toEqual(url);
    expect(isDatabaseUrl(text)).toBe(true);
  });

  it.each([
    'postgres://h/d',
    'mysql://h',
    'mysql://h/',
    'mysql:///d',
    'mysql://a,/d',
    'mysql://a b/d',
    'mysql://a:0/d',
    'mysql://a:65536/d',
    'mysql://::1/d',
    'mysql://u:%zz@h/d',
    'mysql://h/d/e',
    'mysql://h/d?ssl=yes',
    'mysql://h/d?sslca=x',
    'mysql://h/d?wsrep-sync-wait=16',
    'mysql://h/d#x',
  ])('refuses %s', (text) => {
    expect(parseServerUrl(text)).toBeUndefined();
    expect(isDatabaseUrl(text)).toBe(false);
  });
});
