import { type Command } from 'commander';

/** What the file of a command exports: `src/cli/registry.ts` loads it when the command is called. */
export interface CommandFile {
  /** Declares the arguments, options and subcommands of a command, and what it does. */
  configure: (command: Command) => void;
}

/** A reason why a command has failed. Its message is one line for a person and says what to do. */
export class CommandError extends Error {}
