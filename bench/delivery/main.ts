import { parseArgs } from 'node:util';
import { type DeliverySizes, measureDelivery } from './measure';
import { type Figure, isReached, toMarkdown } from '../support/figures';
import { databasesOf } from '../support/options';
import { report } from '../support/report';
import { withWorkspace } from '../support/workspace';

const TIMEOUT_MS = 6 * 60_000;

const FULL: DeliverySizes = {
  backlog: 20_000,
  idleComments: 300,
  isolationComments: 500,
  hangingBacklog: 1000,
  pending: 100_000,
};

const QUICK: DeliverySizes = {
  backlog: 3000,
  idleComments: 30,
  isolationComments: 30,
  hangingBacklog: 100,
  pending: 10_000,
};

/** Measures how fast webhooks are delivered; see `docs/delivery.md#speed`. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      database: { type: 'string' },
      quick: { type: 'boolean', default: false },
      report: { type: 'string' },
      strict: { type: 'boolean', default: false },
    },
  });
  const options = databasesOf(values.database, process.env);
  const figures: Figure[] = [];
  for (const database of options.databases) {
    console.log(`Measuring on ${database}`);
    const measured = await withWorkspace(TIMEOUT_MS, (workspace) =>
      measureDelivery(workspace, database, options, values.quick ? QUICK : FULL),
    );
    figures.push(...measured);
  }
  await report(toMarkdown(figures), { ...options, script: 'bench:webhooks', file: values.report });
  if (values.strict && figures.some((figure) => !isReached(figure))) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
