import 'reflect-metadata';
import { type AddressInfo, createServer } from 'node:net';
import { Child } from '../test/support/child';
import { TemporaryFolder } from '../test/support/sqlite';
import { EnvironmentError } from './config/environment';
import { NoWritableServerError } from './database/mysql/no-writable-server.error';
import { explainStartFailure } from './start-failure';

const systemError = (properties: object, message = 'reason'): Error =>
  Object.assign(new Error(message), properties);

describe(explainStartFailure.name, () => {
  it('lists each invalid setting on a line of its own', () => {
    expect(explainStartFailure(new EnvironmentError(['PORT is bad', 'HOST is bad']))).toEqual([
      'Bad setting: PORT is bad',
      'Bad setting: HOST is bad',
    ]);
  });

  it.each([
    ['a port that is taken', systemError({ code: 'EADDRINUSE', port: 3000 }), /Port 3000 is in use.*PORT/],
    [
      'an address of another machine',
      systemError({ code: 'EADDRNOTAVAIL', address: '192.0.2.1' }),
      /192\.0\.2\.1.*HOST/,
    ],
    [
      'a missing permission',
      systemError({ code: 'EACCES' }, 'listen EACCES: permission denied 0.0.0.0:80'),
      /Permission denied.*:80/,
    ],
    ['a database that is down', systemError({ code: 'ECONNREFUSED' }), /cannot be reached.*DATABASE_URL/],
    [
      'a database that is down, without a message',
      systemError({ code: 'ECONNREFUSED' }, ''),
      /reached: ECONNREFUSED/,
    ],
    ['a database of an unknown host', systemError({ code: 'ENOTFOUND' }), /cannot be reached.*DATABASE_URL/],
    ['a wrong password', systemError({ code: 'ER_ACCESS_DENIED_ERROR' }), /refuses.*DATABASE_URL/],
    ['a database that does not exist', systemError({ code: 'ER_BAD_DB_ERROR' }), /refuses.*DATABASE_URL/],
    [
      'servers that are all read-only',
      new NoWritableServerError('a:3306 is read-only'),
      /^No database server accepts writes: a:3306 is read-only\. Check DATABASE_URL/,
    ],
    [
      'a file that is not a database',
      systemError({ code: 'SQLITE_NOTADB' }),
      /embedded database.*DATABASE_URL/,
    ],
    ['a bug', new TypeError('x is not a function'), /could not start: x is not a function/],
    ['a thrown value that is not an error', 'why', /could not start: why/],
    ['an error without a message', new Error(''), /could not start: Error/],
    [
      'an aggregate of refused connections',
      new AggregateError([systemError({ code: 'ECONNREFUSED' }, 'connect ECONNREFUSED ::1:3306')]),
      /reached: connect ECONNREFUSED ::1:3306/,
    ],
    ['an aggregate without errors', new AggregateError([], 'none'), /could not start: none/],
  ])('explains %s in one line', (_name, error, line) => {
    expect(explainStartFailure(error)).toEqual([expect.stringMatching(line)]);
  });

  describe('for a process that fails to start', () => {
    const folder = new TemporaryFolder();
    afterAll(() => folder.remove());
    let reasons: string[];

    // One process for both, because it loads the whole service.
    beforeAll(async () => {
      const unused = createServer();
      await new Promise<void>((resolve) => unused.listen(0, '127.0.0.1', resolve));
      const { port } = unused.address() as AddressInfo;
      await new Promise((resolve) => unused.close(resolve));
      const urls = [`mysql://root@127.0.0.1:${port}/db`, `sqlite:${folder.path}`];
      reasons = await new Child('start-application', ...urls).restOfLines();
    });

    it('names the setting of an unreachable database server', () => {
      expect(reasons[0]).toMatch(/^The database cannot be reached: .*DATABASE_URL\.$/);
    });

    it('names the setting of an embedded database whose file is a folder', () => {
      expect(reasons.slice(1)).toEqual([
        expect.stringMatching(/^The embedded database cannot be opened: .*DATABASE_URL\.$/),
      ]);
    });
  });
});
