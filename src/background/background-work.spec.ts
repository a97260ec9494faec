import { setImmediate as turn } from 'node:timers/promises';
import { BackgroundWork } from './background-work';

const NEVER_MS = 2 ** 31 - 1;

describe(BackgroundWork.name, () => {
  it('runs once at a time, and once more for all starts meanwhile', async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const background = new BackgroundWork(
      'test',
      async () => {
        most = Math.max(most, ++running);
        await turn();
        running--;
        runs++;
      },
      NEVER_MS,
      () => undefined,
    );
    background.start();
    await turn();
    for (let times = 0; times < 5; times++) background.start();
    await background.whenIdle();
    expect({ most, runs }).toEqual({ most: 1, runs: 2 });
  });

  it('runs again after a failed run', async () => {
    const errors: unknown[] = [];
    let runs = 0;
    const background = new BackgroundWork(
      'test',
      () => (++runs === 1 ? Promise.reject(new Error('first')) : Promise.resolve()),
      NEVER_MS,
      (error) => errors.push(error),
    );
    background.start();
    await background.whenIdle();
    background.start();
    await background.whenIdle();
    expect(runs).toBe(2);
    expect(errors).toEqual([new Error('first')]);
  });

  it('runs at once on begin and waits for the last run on stop', async () => {
    const steps: string[] = [];
    const background = new BackgroundWork(
      'test',
      async () => {
        steps.push('begun');
        await turn();
        steps.push(background.isStopping ? 'stopping' : 'going on');
      },
      NEVER_MS,
      () => undefined,
    );
    background.begin();
    await Promise.resolve();
    await background.stop();
    background.start();
    await background.whenIdle();
    expect(steps).toEqual(['begun', 'stopping']);
  });
});
