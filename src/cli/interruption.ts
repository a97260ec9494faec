import { CommandError } from './command';

/** Returns a signal that aborts at the first SIGINT or SIGTERM, so that a command can end cleanly; a repeated one ends the process. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(new CommandError('Interrupted.'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  return controller.signal;
}
