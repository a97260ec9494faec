import { setMaxListeners } from 'node:events';
import { type Response } from 'express';

/** Calls the listener once when the response has been sent or its client has gone, even if that has already happened. */
export function onResponseEnd(response: Response, listener: () => void): void {
  const { socket } = response.req;
  if (response.closed || socket.destroyed) {
    listener();
    return;
  }
  // The number of listeners depends on the code alone, not on clients; Node would warn of a leak.
  response.setMaxListeners(0);
  if (response.socket) {
    response.once('close', listener);
    return;
  }
  // A pipelined request whose response waits for earlier ones: Node does not close such a response when the client disconnects.
  const end = (): void => {
    response.off('close', end);
    socket.off('close', end);
    listener();
  };
  response.once('close', end);
  setMaxListeners(0, socket);
  socket.once('close', end);
}
