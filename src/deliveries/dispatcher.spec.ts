import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DeliveryResult, type DueTarget, type Leased } from './delivery';
import { Dispatcher, type DispatchQueue } from './dispatcher';
import { type WakeChannel } from './wake-channel';
import { slowDown, TurnCounter } from '../../test/support/slow-turns';

interface Target extends DueTarget {
  id: number;
}

interface Delivery extends Leased {
  targetId: number;
}

const COUNT = 20;
const TARGETS: Target[] = Array.from({ length: COUNT }, (_, index) => ({
  id: index + 1,
  failures: 0,
  pausedUntil: 0,
}));

/** Has one due delivery for each target, and calls back when it attempts one. */
class TestedDispatcher extends Dispatcher<Target, Delivery, DeliveryResult> {
  constructor(
    queue: DispatchQueue<Target, Delivery, DeliveryResult>,
    private readonly attempted: () => void,
  ) {
    super(
      queue,
      {
        timeout: 1000,
        retries: { delays: [], jitter: 0 },
        concurrency: COUNT,
        targetConcurrency: 1,
        firstAllowance: 1,
        prefetch: 1,
        pollInterval: 60_000,
        gather: 0,
      },
      { onHeard: () => undefined, announce: () => undefined } as unknown as WakeChannel,
    );
  }

  protected override idOf(of: Target | Delivery): number {
    return 'targetId' in of ? of.targetId : of.id;
  }

  protected override findDue(_now: number, after: number): Promise<Target[]> {
    return Promise.resolve(after === 0 ? TARGETS : []);
  }

  protected override findCurrent(): Promise<Target[]> {
    return Promise.resolve(TARGETS);
  }

  protected override attempt(): Promise<DeliveryResult> {
    this.attempted();
    return Promise.resolve({ error: '' });
  }
}

describe(Dispatcher.name, () => {
  afterEach(() => vi.restoreAllMocks());

  it('starts attempts in separate turns of the event loop when each uses up a turn', async () => {
    await slowDown(5);
    let due: Delivery[] = TARGETS.map(({ id }) => ({
      id,
      targetId: id,
      attempt: 0,
      leaseToken: '',
      leaseUntil: Infinity,
    }));
    const queue: DispatchQueue<Target, Delivery, DeliveryResult> = {
      claim: () => {
        const claimed = due;
        due = [];
        return Promise.resolve(claimed);
      },
      releaseAbandoned: () => Promise.resolve(),
      finish: () => Promise.resolve(false),
      release: () => Promise.resolve(),
    };
    const counter = new TurnCounter();
    const turns: number[] = [];
    const dispatcher = new TestedDispatcher(queue, () => turns.push(counter.count));
    await dispatcher.onApplicationBootstrap();
    while (turns.length < COUNT) await nextTurn();
    counter.stop();
    await dispatcher.beforeApplicationShutdown();
    expect(new Set(turns).size).toBe(COUNT);
  });
});
