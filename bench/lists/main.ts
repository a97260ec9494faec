import { parseArgs } from 'node:util';
import { connect, type Effort, measureBoth, type Side } from './measure';
import { type List } from './list';
import { LISTS } from './lists';
import { listOperations, type ListOperation, type OpenApiDocument } from './operations';
import { amountsOf } from './population';
import { type ListResult, missesOf, toMarkdown } from './result';
import { seedLists } from './seeding/seed-lists';
import { databasesOf, type DatabaseName, type DatabaseOptions } from '../support/options';
import { type Server, startService } from '../support/processes';
import { progress } from '../support/progress';
import { report } from '../support/report';
import { withSeedDatabase } from '../support/seed-database';
import { productOf, withWorkspace, type Workspace } from '../support/workspace';

const TIMEOUT_MS = 25 * 60_000;

interface Options extends DatabaseOptions {
  /** Number of issues in the two sizes. */
  small: number;
  large: number;
  effort: Effort;
  /** Measures only lists whose name contains this. */
  only: string;
}

const FULL = {
  small: 2000,
  large: 200_000,
  effort: { warmUps: 5, requests: 30, time: 700, limit: 3000 },
};

const QUICK = {
  small: 1000,
  large: 4000,
  effort: { warmUps: 1, requests: 3, time: 0, limit: 1000 },
};

/** Measures how the lists' times grow with the data; see `docs/benchmark.md#lists-at-scale`. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      database: { type: 'string' },
      only: { type: 'string', default: '' },
      quick: { type: 'boolean', default: false },
      report: { type: 'string' },
      strict: { type: 'boolean', default: false },
    },
  });
  const options: Options = {
    ...(values.quick ? QUICK : FULL),
    ...databasesOf(values.database, process.env),
    only: values.only,
  };
  const results: ListResult[] = [];
  for (const database of options.databases) {
    results.push(
      ...(await withWorkspace(TIMEOUT_MS, (workspace) => measureDatabase(workspace, database, options))),
    );
  }
  await report(toMarkdown(results), { ...options, script: 'bench:lists', file: values.report });
  const misses = missesOf(results);
  if (misses.length > 0) console.log(`Targets missed:\n${misses.map((miss) => `  ${miss}`).join('\n')}`);
  if (values.strict && misses.length > 0) process.exitCode = 1;
}

async function measureDatabase(
  workspace: Workspace,
  database: DatabaseName,
  options: Options,
): Promise<ListResult[]> {
  const small = await prepare(workspace, database, options, options.small);
  const large = await prepare(workspace, database, options, options.large);
  const operations = await readOperations(large.service);
  const results: ListResult[] = [];
  progress(large.label, 'measuring');
  for (const list of LISTS) {
    const name = nameOf(list);
    if (!name.includes(options.only)) continue;
    const operation = operations.get(list.operation) as ListOperation;
    const measured = await measureBoth(small, large, operation, list, options.effort);
    const result = { database: large.label, list: name, caller: list.caller, ...measured };
    checkRecords(result, list);
    results.push(result);
  }
  for (const { client, service } of [small, large]) {
    await client.close();
    await service.stop();
  }
  return results;
}

/** Seeds a database and starts the service on it. */
async function prepare(
  workspace: Workspace,
  database: DatabaseName,
  { serverUrl }: Options,
  issues: number,
): Promise<Side & { service: Server; label: string }> {
  const url = await workspace.createDatabase(database, serverUrl, `lists-${issues}.db`);
  const label = productOf(url);
  progress(label, `seeding ${issues} issues`);
  const parameters = await withSeedDatabase(workspace, url, (seeded) => seedLists(seeded, amountsOf(issues)));
  const service = await startService(workspace, url);
  return { client: connect(service.origin), parameters, service, label };
}

/** Reads the lists in the service's OpenAPI document, by `operationId`; `operations.spec.ts` compares them with `LISTS`. */
async function readOperations({ origin }: Server): Promise<Map<string, ListOperation>> {
  const response = await fetch(`${origin}/api-docs-json`, { signal: AbortSignal.timeout(10_000) });
  const operations = listOperations((await response.json()) as OpenApiDocument);
  return new Map(operations.map((operation) => [operation.id, operation]));
}

function checkRecords({ list, small, large }: ListResult, { isEmpty }: List): void {
  for (const { records } of [small, large]) {
    if (isEmpty !== (records === 0)) throw new Error(`${list} answers with ${records} records.`);
  }
}

const nameOf = ({ operation, query, path }: List): string =>
  [operation, ...Object.entries(path).map((entry) => entry.join('=')), query]
    .filter((part) => part !== '')
    .join(' ');

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
