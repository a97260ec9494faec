import { type Command } from 'commander';

/** Exports of a command's file, which `src/cli/registry.ts` loads when the command is called. */
export interface CommandFile {
  /** Declares the arguments, options, subcommands and action of a command. */
  configure: (command: Command) => void;
}

/** Reason why a command failed. Its message is one line for a person, including what to do. */
export class CommandError extends Error {}
