import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Workspace } from '../support/workspace';
import { type ProberResult } from './prober-process';

/** Polls servers in a separate process, which no work of the benchmark delays. */
export class Prober {
  private constructor(private readonly child: ChildProcess) {}

  static start(workspace: Workspace): Prober {
    const child = fork(join(__dirname, 'prober-process.js'));
    workspace.defer(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    });
    return new Prober(child);
  }

  /** Polls servers while work is done. @returns the longest response time of each in milliseconds */
  async during(origins: readonly string[], work: () => Promise<unknown>): Promise<ProberResult> {
    this.child.send(origins);
    let result: Promise<unknown[]>;
    try {
      await work();
    } finally {
      result = Promise.race([
        once(this.child, 'message'),
        once(this.child, 'exit').then(() => Promise.reject(new Error('The prober has ended.'))),
      ]);
      this.child.send([]);
    }
    const [times] = (await result) as [ProberResult];
    return times;
  }
}
