import { Logger } from '@nestjs/common';
import { BackgroundService } from './background.service';
import { type BackgroundWork } from './background-work';

const OPTIONS = { intervalMs: 2 ** 31 - 1, failure: 'Could not do it' };

describe(BackgroundService.name, () => {
  const logged: unknown[] = [];

  beforeEach(() => {
    logged.length = 0;
    vi.spyOn(Logger.prototype, 'error').mockImplementation((...args: unknown[]) => void logged.push(args));
  });

  afterEach(() => vi.restoreAllMocks());

  it('starts each work once at bootstrap and none after shutdown', async () => {
    const background = new BackgroundService();
    const runs: string[] = [];
    const first = background.add('first', () => Promise.resolve(runs.push('first')), OPTIONS);
    background.add('second', () => Promise.resolve(runs.push('second')), OPTIONS);
    first.begin();
    await first.whenIdle();
    background.onApplicationBootstrap();
    await background.whenIdle();
    expect(runs).toEqual(['first', 'second']);
    await background.onModuleDestroy();
    first.start();
    first.begin();
    await background.whenIdle();
    expect(runs).toEqual(['first', 'second']);
  });

  it('waits for work that other work has started', async () => {
    const background = new BackgroundService();
    let isDone = false;
    const last: BackgroundWork = background.add(
      'last',
      async () => {
        for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate);
        isDone = true;
      },
      OPTIONS,
    );
    const first = background.add(
      'first',
      () => {
        last.start();
        return Promise.resolve();
      },
      OPTIONS,
    );
    first.start();
    await background.whenIdle();
    expect(isDone).toBe(true);
  });

  it('logs failures except ignored ones', async () => {
    const background = new BackgroundService();
    const error = new Error('broken');
    const ignored = new Error('reported elsewhere');
    const fail = (reason: Error) => () => Promise.reject(reason);
    background.add('broken', fail(error), OPTIONS);
    background.add('quiet', fail(ignored), { ...OPTIONS, ignored: (reason) => reason === ignored });
    background.add('other', fail(error), { ...OPTIONS, ignored: (reason) => reason === ignored });
    background.onApplicationBootstrap();
    await background.whenIdle();
    await background.onModuleDestroy();
    expect(logged).toEqual([
      [{ err: error, work: 'broken' }, OPTIONS.failure],
      [{ err: error, work: 'other' }, OPTIONS.failure],
    ]);
  });

  it('runs batches until one is not full or the process shuts down', async () => {
    const background = new BackgroundService();
    const sizes = [3, 3, 2, 3];
    const limits: number[] = [];
    const part = (limit: number): Promise<number> => {
      limits.push(limit);
      return Promise.resolve(sizes.shift() ?? 0);
    };
    const work = background.add('batches', () => work.inBatches(3, part), OPTIONS);
    work.start();
    await work.whenIdle();
    expect(limits).toEqual([3, 3, 3]);
    await background.onModuleDestroy();
    await work.inBatches(3, part);
    expect(limits).toEqual([3, 3, 3]);
  });
});
