import { type Request } from 'express';
import { csrfTokenOf, isCsrfToken, isFromOwnPage, sessionTokenOf } from './session-cookie';

const TOKEN = 'a'.repeat(43);

const requestWith = (headers: Record<string, string>): Request => ({ headers }) as unknown as Request;

describe(sessionTokenOf.name, () => {
  it.each([`__Host-pms=${TOKEN}`, `a=b; __Host-pms=${TOKEN}; c=d`, `a=b;__Host-pms=${TOKEN}`])(
    'finds the token in %s',
    (cookie) => expect(sessionTokenOf(requestWith({ cookie }))).toBe(TOKEN),
  );

  it.each([
    '',
    `pms=${TOKEN}`,
    `x__Host-pms=${TOKEN}`,
    `__Host-pms=${TOKEN}a`,
    `__Host-pms=${TOKEN.slice(1)}`,
    `__Host-pms="${TOKEN}"`,
    `__Host-pms-csrf=${TOKEN}`,
  ])('finds none in %s', (cookie) => expect(sessionTokenOf(requestWith({ cookie }))).toBeUndefined());
});

describe(isCsrfToken.name, () => {
  it('accepts only the token of the session', () => {
    expect(isCsrfToken(csrfTokenOf(TOKEN), TOKEN)).toBe(true);
    for (const other of [undefined, '', TOKEN, csrfTokenOf('b'.repeat(43)), 'ä'.repeat(43)]) {
      expect(isCsrfToken(other, TOKEN)).toBe(false);
    }
  });
});

describe(isFromOwnPage.name, () => {
  it.each([
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'none' }, false],
    [{ 'sec-fetch-site': 'cross-site', origin: 'http://pms.test', host: 'pms.test' }, false],
    [{ origin: 'https://pms.test', host: 'pms.test' }, true],
    [{ origin: 'https://PMS.test:8443', host: 'pms.test:8443' }, true],
    [{ origin: 'https://pms.test:8443', host: 'pms.test' }, false],
    [{ origin: 'https://evil.test', host: 'pms.test' }, false],
    [{ origin: 'null', host: 'pms.test' }, false],
    [{ host: 'pms.test' }, false],
    [{}, false],
  ])('returns for %j: %s', (headers, expected) => {
    expect(isFromOwnPage(requestWith(headers))).toBe(expected);
  });
});
