import { CommandError } from './command';

/** A signal that aborts at the first SIGINT or SIGTERM, so that a command can end in order; the second ends the process. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(new CommandError('Interrupted.'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  return controller.signal;
}
