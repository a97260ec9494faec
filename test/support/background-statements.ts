import { AsyncLocalStorage } from 'node:async_hooks';
import { type Server } from 'node:http';

const background = new AsyncLocalStorage<boolean>();

/** Whether the current statement belongs to work that the service does by itself: at its start, periodically, or for deliveries. */
export const isInBackground = (): boolean => background.getStore() === true;

/** Starts a service, whose timers and other own work inherit the mark of `isInBackground`. */
export const startInBackground = <T>(start: () => Promise<T>): Promise<T> => background.run(true, start);

/** Takes the mark off a server's requests, which inherit it from the start of the server. */
export function watchRequests(server: Server): void {
  server.prependListener('request', () => background.enterWith(false));
}
