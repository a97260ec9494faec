import { QueryFailedError } from 'typeorm';
import { createLogger } from './logger';

describe(createLogger.name, () => {
  const SECRET = 'hash-of-a-password';

  function logged(
    format: 'auto' | 'json' | 'pretty',
    log: (logger: ReturnType<typeof createLogger>) => void,
  ) {
    const lines: string[] = [];
    log(
      createLogger(
        { LOG_LEVEL: 'trace', LOG_FORMAT: format },
        { write: (line: string) => void lines.push(line) },
      ),
    );
    return lines;
  }

  it('logs the error and text of a failed statement without its parameters', () => {
    const driverError = Object.assign(new Error('Data too long'), {
      code: 'ER_DATA_TOO_LONG',
      errno: 1406,
      sql: `UPDATE user SET password_hash = '${SECRET}'`,
    });
    const failed = new QueryFailedError('UPDATE user SET password_hash = ?', [SECRET], driverError);
    const log = (logger: ReturnType<typeof createLogger>): void => {
      logger.error({ err: failed });
      logger.error({ err: new Error('Outer', { cause: failed }) });
    };
    const lines = logged('json', log);
    expect([...lines, ...logged('pretty', log)].join('')).not.toContain(SECRET);
    const [line, outer] = lines.map((text) => (JSON.parse(text) as { err: Record<string, unknown> }).err);
    expect(line).toMatchObject({
      type: 'QueryFailedError',
      message: 'Data too long',
      stack: expect.stringContaining('Data too long'),
      code: 'ER_DATA_TOO_LONG',
      errno: 1406,
      query: 'UPDATE user SET password_hash = ?',
    });
    expect(outer).toMatchObject({ message: 'Outer: Data too long' });
  });

  it('includes the reason of a failure on the same line in pretty format', () => {
    const lines = logged('pretty', (logger) =>
      logger.warn({ error: 'The receiver answered 500.' }, 'Failed'),
    );
    expect(lines).toEqual([
      expect.stringMatching(/ WARN: Failed \{"error":"The receiver answered 500\."\}\n$/),
    ]);
  });

  it('writes readable lines in pretty format, and JSON when the output is no terminal', () => {
    const log = (logger: ReturnType<typeof createLogger>): void =>
      logger.info({ context: 'Service', port: 3000 }, 'Listening');
    expect(logged('pretty', log)).toEqual([
      expect.stringMatching(/^\[[\d-]+ [\d:.]+\] INFO: Listening \{.*"port":3000\}\n$/),
    ]);
    for (const format of ['auto', 'json'] as const) {
      expect(JSON.parse(logged(format, log)[0]!)).toMatchObject({ level: 30, port: 3000, msg: 'Listening' });
    }
  });
});
