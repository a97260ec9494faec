import { createRequire } from 'node:module';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import type * as PinoPretty from 'pino-pretty';
import { type Environment } from '../config/environment';
import { StandardOutput } from './standard-output';

/** The logged part of an error; not the parameters of a failed statement, which include keys, secrets and people's texts. */
const LOGGED = ['type', 'message', 'stack', 'code', 'errno', 'syscall', 'path', 'query'];

/** @param error as it is, or as pino's serializer has made it */
function serializeError(error: Error): object {
  const serialized = stdSerializers.err(error) as unknown as Record<string, unknown>;
  return Object.fromEntries(
    LOGGED.filter((name) => name in serialized).map((name) => [name, serialized[name]]),
  );
}

/**
 * The one logger of the process. It writes synchronously, so that no line is lost at the end of the process.
 * @param output takes the lines; the standard output unless given
 */
export function createLogger(
  { LOG_LEVEL, LOG_FORMAT }: Pick<Environment, 'LOG_LEVEL' | 'LOG_FORMAT'>,
  output?: DestinationStream,
): Logger {
  const isPretty = LOG_FORMAT === 'pretty' || (LOG_FORMAT === 'auto' && process.stdout.isTTY);
  const options = { level: LOG_LEVEL, serializers: { err: serializeError } };
  return pino(options, isPretty ? prettyOutput(output ?? process.stdout) : (output ?? new StandardOutput()));
}

/** Formats lines for people. The formatter is loaded only for this. */
function prettyOutput(output: DestinationStream): DestinationStream {
  const { prettyFactory } = createRequire(__filename)('pino-pretty') as typeof PinoPretty;
  const format = prettyFactory({
    colorize: process.stdout.isTTY && process.stdout.hasColors(),
    translateTime: 'SYS:yyyy-mm-dd HH:MM:ss.l',
    ignore: 'pid,hostname',
    singleLine: true,
    // These come on lines of their own; `error` is a text.
    errorLikeObjectKeys: ['err'],
  });
  return {
    write: (line) => {
      output.write(format(line));
    },
  };
}
