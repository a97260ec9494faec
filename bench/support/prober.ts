import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Polled, type ResponseTimes } from './prober-process';
import { type Workspace } from './workspace';

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

  /** Polls servers while work is done. @returns the response times of each */
  async during(servers: readonly Polled[], work: () => Promise<unknown>): Promise<ResponseTimes[]> {
    this.child.send(servers.map(({ origin, pid }) => ({ origin, pid })));
    await once(this.child, 'message');
    try {
      await work();
    } finally {
      this.child.send([]);
    }
    const [times] = (await once(this.child, 'message')) as [ResponseTimes[]];
    return times;
  }
}
