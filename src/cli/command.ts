import { type Command } from 'commander';
import { type Services } from '../services';
import { type Output } from './output';

/** A running service that executes a command for another process. */
export interface CommandHost {
  services: Services;
  /** Aborted when the other process is gone, or the service stops. */
  signal: AbortSignal;
}

/** One call of a command. */
export interface CommandCall {
  /** The whole command line, without the program's name. */
  words: readonly string[];
  output: Output;
  /** The service that executes the call; undefined in the process of the command. */
  host?: CommandHost;
}

/** Exports of a command's file, which `src/cli/registry.ts` loads when the command is called. */
export interface CommandFile {
  /** Declares the arguments, options, subcommands and action of a command. */
  configure: (command: Command, call: CommandCall) => void;
}

/** Exit codes of the program; a running service ends with its own (`process-end.ts`). */
export const EXIT = { done: 0, failed: 1, usage: 2, differs: 3 } as const;

/** Reason why a command failed. Its message is one line for a person, including what to do. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
  ) {
    super(message);
  }
}

/** The running service has executed the command and printed its output, so this process is done. */
export class ExecutedByServiceError extends Error {
  /** @param exitCode that of the command */
  constructor(readonly exitCode: number) {
    super('The service has executed the command.');
  }
}
