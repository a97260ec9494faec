import { Child } from './child';
import { type Environment } from './world';

/** What a command has printed, and how it has ended. */
export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs commands of the program `pms`, one after the other, in a process of its own. */
export class Commands {
  private readonly child = new Child('run-commands');
  private last: Promise<unknown> = Promise.resolve();

  run(words: readonly string[], settings: Environment): Promise<CommandResult> {
    const result = this.last.then(async () => {
      this.child.say(JSON.stringify({ words, settings }));
      return JSON.parse((await this.child.nextLine()) as string) as CommandResult;
    });
    this.last = result.catch(() => undefined);
    return result;
  }

  stop(): Promise<void> {
    return this.child.kill();
  }
}
