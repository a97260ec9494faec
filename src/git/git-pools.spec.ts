import { TooManyRequestsError } from '../errors/domain-errors';
import { GitPools, type GitTurn, NOBODY, poolSizes } from './git-pools';

describe(poolSizes.name, () => {
  it.each([
    [1, 1, 1, 2],
    [8, 4, 2, 2],
    [16, 8, 6, 2],
    [32, 16, 12, 4],
    [1000, 500, 375, 125],
  ])('divides %i processes among transfers, reads and the service', (total, transfers, reads, service) => {
    expect(poolSizes(total)).toEqual({ transfers, reads, service });
  });
});

describe(GitPools.name, () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Takes turns in order, and returns the limit that refuses the last one after the maximum wait. */
  async function refusalOf(turns: readonly GitTurn[], share = 4): Promise<TooManyRequestsError['details']> {
    const pools = new GitPools({ GIT_PROCESSES: 32, GIT_PROCESSES_PER_USER: share, GIT_TIMEOUT: 60 });
    const taken = turns.map((turn) => pools.take(turn).catch((error: unknown) => error));
    await vi.runAllTimersAsync();
    const error = await taken.at(-1);
    expect(error).toBeInstanceOf(TooManyRequestsError);
    return (error as TooManyRequestsError).details;
  }

  const turnsOf = (pool: GitTurn['pool'], userIds: readonly number[]): GitTurn[] =>
    userIds.map((userId) => ({ pool, userId }));
  const users = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

  it('names GIT_PROCESSES_PER_USER in the refusal of a user who holds that many', async () => {
    const share = { limit: 'git_processes', setting: 'GIT_PROCESSES_PER_USER', most: 4 };
    expect(await refusalOf(turnsOf('reads', [1, 1, 1, 1, 1]))).toEqual(share);
    expect(await refusalOf(turnsOf('transfers', [1, 1, 1, 1, 1]))).toEqual(share);
  });

  it('names GIT_PROCESSES in the refusal when the pool is full or reserved for others', async () => {
    const reads = { limit: 'git_processes', setting: 'GIT_PROCESSES', most: 12 };
    expect(await refusalOf(turnsOf('reads', users(13)))).toEqual(reads);
    const service = { limit: 'git_processes', setting: 'GIT_PROCESSES', most: 2 };
    expect(await refusalOf(turnsOf('service', [1, 1, 1]))).toEqual(service);
    expect(await refusalOf(turnsOf('service', [1, 1]), 1)).toMatchObject({
      setting: 'GIT_PROCESSES_PER_USER',
    });
  });

  it('limits the waiting processes of the service itself', async () => {
    const pools = new GitPools({ GIT_PROCESSES: 32, GIT_PROCESSES_PER_USER: 4, GIT_TIMEOUT: 60 });
    const turn = { pool: 'service', userId: NOBODY } as const;
    const waiting = Promise.allSettled(Array.from({ length: 1004 }, () => pools.take(turn)));
    await expect(pools.take(turn)).rejects.toMatchObject({ details: { setting: 'GIT_PROCESSES', most: 4 } });
    await vi.runAllTimersAsync();
    expect((await waiting).filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  });
});
