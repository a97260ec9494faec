import { connect, type Socket } from 'node:net';
import { type Environment } from '../../config/environment';
import { VERSION } from '../../config/version';
import { CommandError } from '../command';
import { type Output } from '../output';
import { Lines, MAX_ANSWER_LENGTH, parseMessage, PROTOCOL, toLine } from './messages';
import { isOfDatabaseOwner, isPrivateFolder, isUsableForSocket, socketPlace } from './socket-place';

/** Maximum time between two lines of the service, in milliseconds; a transaction may take a minute. */
const SILENCE_MS = 120_000;
/** Maximum time to connect, in milliseconds. */
const CONNECT_MS = 5000;

const UNKNOWN = 'It is unknown whether the command was executed: check, and run it again if it was not.';

/** Connects to the service that has the embedded database of this installation open; undefined if none answers. @throws CommandError where root cannot trust it */
export async function connectToService(environment: Environment): Promise<Socket | undefined> {
  const place = socketPlace(environment);
  if (!place || !isUsableForSocket(place.path) || !isPrivateFolder(place.folder, true)) return undefined;
  if (process.getuid?.() === 0 && !isOfDatabaseOwner(place)) {
    throw new CommandError(
      `The folder ${place.folder} belongs neither to root nor to the owner of the database: nothing is sent to a service there. Remove the folder.`,
    );
  }
  const socket = connect({ path: place.path, timeout: CONNECT_MS });
  return new Promise((resolve) => {
    const fail = (): void => {
      socket.destroy();
      resolve(undefined);
    };
    // Nobody listens, such as after a kill.
    socket.once('error', fail).once('timeout', fail);
    socket.once('connect', () => {
      socket.off('error', fail).off('timeout', fail);
      resolve(socket);
    });
  });
}

/**
 * Lets the service execute a command line, and passes its output on.
 * @returns the exit code of the command
 * @throws CommandError if the service does not finish it
 */
export function executeByService(socket: Socket, words: readonly string[], output: Output): Promise<number> {
  const { out, error } = output.streams;
  const lines = new Lines();
  socket.setTimeout(SILENCE_MS);
  return new Promise<number>((resolve, reject) => {
    const fail = (reason: string): void => reject(new CommandError(`${reason} ${UNKNOWN}`));
    socket.on('data', (chunk: Buffer) => {
      if (socket.destroyed) return;
      const complete = lines.add(chunk);
      // No line is empty.
      if (lines.pending > MAX_ANSWER_LENGTH) complete.push('');
      for (const line of complete) {
        const message = parseMessage(line);
        if (!message) {
          fail('The response of the service cannot be read.');
          socket.destroy();
          return;
        }
        if ('out' in message) out(message.out);
        else if ('error' in message) error(message.error);
        else resolve(message.exitCode);
      }
    });
    socket.once('timeout', () => fail('The running service does not answer.'));
    socket.once('error', (reason) =>
      fail(`The connection to the running service has failed: ${reason.message}.`),
    );
    socket.once('close', () => fail('The running service has closed the connection.'));
    socket.write(toLine({ protocol: PROTOCOL, version: VERSION, words: [...words] }));
  }).finally(() => socket.destroy());
}
