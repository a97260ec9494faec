import { createDataSource } from '../../../src/database/connections/data-source';
import { keywordSearchRunner } from '../../../src/database/search/searches';

/** A search that takes longer than any test. */
const ENDLESS = `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
  SELECT x FROM n WHERE CASE WHEN search_continues() THEN x < 0 END`;

/** Searches a database, closes it, and prints `closed`; with `running`, while another search runs. */
async function searchAndClose(file: string, mode?: string): Promise<void> {
  const dataSource = await createDataSource(
    { DATABASE_URL: `sqlite:${file}`, DATABASE_POOL_SIZE: 1 },
    [],
  ).initialize();
  const { signal } = new AbortController();
  await keywordSearchRunner(dataSource, { userId: 1, signal }).query('SELECT 1');
  const running =
    mode === 'running' ? keywordSearchRunner(dataSource, { userId: 1, signal }).query(ENDLESS) : undefined;
  running?.catch(() => undefined);
  await dataSource.destroy();
  process.stdout.write('closed\n');
}

void searchAndClose(process.argv[2] as string, process.argv[3]);
