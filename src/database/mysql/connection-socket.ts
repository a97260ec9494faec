import { type Socket } from 'node:net';
import { type Connection } from 'mysql2';

/** Returns the socket of a connection. */
export const streamOf = (connection: Connection): Socket =>
  (connection as unknown as { stream: Socket }).stream;

/** Destroys a connection immediately; one of a pool is removed from it. */
export function destroy(connection: Connection): void {
  connection.destroy();
  // The driver's destroy() only half-closes the socket, which a hung server does not notice.
  streamOf(connection).destroy();
}
