import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Workspace } from './workspace';
import { type Received, type ReceiverCount, type ReceiverQuestion } from './receiver-server';

const LOOK_INTERVAL_MS = 50;

/** Receives webhooks in a separate process, which outlives every process of the service. */
export class Receiver {
  private asking: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly child: ChildProcess,
    readonly origin: string,
  ) {}

  static async start(workspace: Workspace): Promise<Receiver> {
    const child = fork(join(__dirname, 'receiver-server.js'), [], { serialization: 'advanced' });
    workspace.defer(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    });
    const [port] = (await once(child, 'message')) as [number];
    return new Receiver(child, `http://127.0.0.1:${port}`);
  }

  count(): Promise<ReceiverCount> {
    return this.ask<ReceiverCount>('count');
  }

  records(): Promise<Received[]> {
    return this.ask<Received[]>('records');
  }

  /** Discards all recorded requests. */
  async clear(): Promise<void> {
    await this.ask('clear');
  }

  /** Waits until a number of different deliveries has been accepted. @throws Error on timeout */
  async waitFor(deliveries: number, timeout: number): Promise<ReceiverCount> {
    const deadline = performance.now() + timeout;
    for (;;) {
      const count = await this.count();
      if (count.different >= deliveries) return count;
      if (performance.now() > deadline) {
        throw new Error(`${count.different} of ${deliveries} deliveries have arrived in ${timeout} ms.`);
      }
      await sleep(LOOK_INTERVAL_MS);
    }
  }

  /** Sends one command at a time, because responses do not identify their command. */
  private ask<T>(question: ReceiverQuestion): Promise<T> {
    const answer = this.asking.then(async () => {
      const answered = once(this.child, 'message');
      this.child.send(question);
      const [value] = (await answered) as [T];
      return value;
    });
    this.asking = answer.catch(() => undefined);
    return answer;
  }
}
