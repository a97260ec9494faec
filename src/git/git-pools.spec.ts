import { poolSizes } from './git-pools';

describe(poolSizes.name, () => {
  it.each([
    [1, 1, 1, 2],
    [8, 4, 2, 2],
    [16, 8, 6, 2],
    [32, 16, 12, 4],
    [1000, 500, 375, 125],
  ])('shares %i processes out', (total, transfers, reads, service) => {
    expect(poolSizes(total)).toEqual({ transfers, reads, service });
  });
});
