import { type LoggerOptions, pino } from 'pino';
import { QueryFailedError } from 'typeorm';
import { type Environment } from '../config/environment';
import { loggerOptions } from './logger-options';

describe(loggerOptions.name, () => {
  const SECRET = 'hash-of-a-password';

  it('tells what went wrong in a statement, and nothing of its parameters', () => {
    const lines: string[] = [];
    const { pinoHttp: options } = loggerOptions({ LOG_LEVEL: 'trace', LOG_REQUESTS: false } as Environment);
    const logger = pino(options as LoggerOptions, { write: (line: string) => void lines.push(line) });
    const driverError = Object.assign(new Error('Data too long'), {
      code: 'ER_DATA_TOO_LONG',
      errno: 1406,
      sql: `UPDATE user SET password_hash = '${SECRET}'`,
    });
    const failed = new QueryFailedError('UPDATE user SET password_hash = ?', [SECRET], driverError);
    logger.error({ err: failed });
    logger.error({ err: new Error('Outer', { cause: failed }) });
    expect(lines.join('')).not.toContain(SECRET);
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
});
