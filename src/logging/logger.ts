import { createRequire } from 'node:module';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import type * as PinoPretty from 'pino-pretty';
import { type Environment } from '../config/environment';
import { StandardOutput } from './standard-output';

/** The logged properties of an error; not the parameters of a failed statement, which include keys, secrets and users' texts. */
const LOGGED = ['type', 'message', 'stack', 'code', 'errno', 'syscall', 'path', 'query'];

/** @param error the original, or the output of pino's serializer */
function serializeError(error: Error): object {
  const serialized = stdSerializers.err(error) as unknown as Record<string, unknown>;
  return Object.fromEntries(
    LOGGED.filter((name) => name in serialized).map((name) => [name, serialized[name]]),
  );
}

/**
 * Creates the only logger of the process. It writes synchronously, so that no line is lost at exit.
 * @param output receives the lines; standard output by default
 */
export function createLogger(
  { LOG_LEVEL, LOG_FORMAT }: Pick<Environment, 'LOG_LEVEL' | 'LOG_FORMAT'>,
  output?: DestinationStream,
): Logger {
  const isPretty = LOG_FORMAT === 'pretty' || (LOG_FORMAT === 'auto' && process.stdout.isTTY);
  const options = { level: LOG_LEVEL, serializers: { err: serializeError } };
  return pino(options, isPretty ? prettyOutput(output ?? process.stdout) : (output ?? new StandardOutput()));
}

/** Formats lines for human readers. The formatter is loaded only for this. */
function prettyOutput(output: DestinationStream): DestinationStream {
  const { prettyFactory } = createRequire(__filename)('pino-pretty') as typeof PinoPretty;
  const format = prettyFactory({
    colorize: process.stdout.isTTY && process.stdout.hasColors(),
    translateTime: 'SYS:yyyy-mm-dd HH:MM:ss.l',
    ignore: 'pid,hostname',
    singleLine: true,
    // Errors get lines of their own; `error` is a string.
    errorLikeObjectKeys: ['err'],
  });
  return {
    write: (line) => {
      output.write(format(line));
    },
  };
}
