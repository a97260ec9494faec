/** A client of Redis. */
export type RedisClient = Awaited<ReturnType<typeof createRedisClient>>;

/** Ping interval, and the silence after which a connection is closed, in milliseconds. */
const PING_INTERVAL_MS = 3000;
const SILENCE_MS = 10_000;

/**
 * Creates a client that is not connected yet. The package is loaded on demand: it costs 20 MB and a tenth of a second at startup.
 * @param maxUnanswered maximum number of queued commands; further ones are refused
 */
export async function createRedisClient(url: string, maxUnanswered: number) {
  const { createClient } = await import('@redis/client');
  return createClient({
    url,
    commandsQueueMaxLength: maxUnanswered,
    pingInterval: PING_INTERVAL_MS,
    socket: { socketTimeout: SILENCE_MS },
  });
}

/** Describes a Redis failure, without the URL, which may contain a password. */
export function explainRedisFailure(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || String(code);
}
