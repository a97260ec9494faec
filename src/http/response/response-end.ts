import { setMaxListeners } from 'node:events';
import { type Response } from 'express';

/** Calls the listener once when the answer has been sent or its client has gone, even if that was before. */
export function onResponseEnd(response: Response, listener: () => void): void {
  const { socket } = response.req;
  if (response.closed || socket.destroyed) {
    listener();
    return;
  }
  // How many there are depends on the code alone, not on clients; Node would suspect a leak.
  response.setMaxListeners(0);
  if (response.socket) {
    response.once('close', listener);
    return;
  }
  // A pipelined request whose answer waits for those before it: Node closes no such response when the client goes.
  const end = (): void => {
    response.off('close', end);
    socket.off('close', end);
    listener();
  };
  response.once('close', end);
  setMaxListeners(0, socket);
  socket.once('close', end);
}
