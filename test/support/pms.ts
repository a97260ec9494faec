import { Child } from './child';
import { type Environment } from './world';

/** The output of a command, and its exit code. */
export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs commands of the program `pms` sequentially in a separate process. */
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
