import { type DataSource, QueryFailedError } from 'typeorm';
import { useDirectReads } from './direct-reads';

const failure = (errno: number): Error => Object.assign(new Error('driver'), { errno });

/** Returns a source of data whose reads fail with these errors, one after the other, and then succeed. */
function failing(errors: Error[]): DataSource {
  const logger = { logQuery: () => undefined, logQueryError: () => undefined };
  const dataSource = { options: { type: 'mariadb' }, logger, query: () => undefined };
  useDirectReads(dataSource as unknown as DataSource, () => {
    const error = errors.shift();
    return error ? Promise.reject(error) : Promise.resolve(['row']);
  });
  return dataSource as unknown as DataSource;
}

describe(useDirectReads.name, () => {
  it('repeats a read that lost against another statement', async () => {
    const errors = [failure(1213), failure(1213)];
    expect(await failing(errors).query('SELECT 1')).toEqual(['row']);
    expect(errors).toEqual([]);
  });

  it('fails after a few such losses', async () => {
    const errors = Array.from({ length: 9 }, () => failure(1213));
    await expect(failing(errors).query('SELECT 1')).rejects.toThrow(QueryFailedError);
    expect(errors).toHaveLength(4);
  });

  it.each([1146, 1205, 1927])('does not repeat a read that failed with %d', async (errno) => {
    const errors = [failure(errno), failure(errno)];
    await expect(failing(errors).query('SELECT 1')).rejects.toThrow(QueryFailedError);
    expect(errors).toHaveLength(1);
  });
});
