// Asks a Prometheus that has scraped a running service for a few minutes, with some requests in them, for every expression of the
// board and of the alerts: each has to find series. A comparison at the end is left out and every status counts as an error, because
// these find something only when something is wrong.
// Usage: node scripts/check-monitoring.mjs http://127.0.0.1:9090
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import { parse } from 'yaml';

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '../docs/monitoring');
const [, , prometheus = 'http://127.0.0.1:9090'] = process.argv;

const read = (name) => readFileSync(join(FOLDER, name), 'utf8');

const unconditional = (expression) =>
  expression
    .replace(/ (==|>|<) [\d.]+$/, '')
    .replace(/ offset 1h/, '')
    .replaceAll('status=~"5.."', 'status=~".+"');

const board = JSON.parse(read('grafana-dashboard.json'));
const ofBoard = board.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({
    what: `board: ${title}`,
    expression: unconditional(expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$\w+/g, '.+')),
  })),
);
const ofAlerts = parse(read('alerts.yml'))
  .groups.flatMap(({ rules }) => rules)
  .map(({ alert, expr }) => ({
    what: `alert: ${alert}`,
    expression: unconditional(expr),
  }));

let empty = 0;
for (const { what, expression } of [...ofBoard, ...ofAlerts]) {
  const url = new URL('/api/v1/query', prometheus);
  url.searchParams.set('query', expression);
  const { status, data, error } = await (await globalThis.fetch(url)).json();
  if (status === 'success' && data.result.length > 0) continue;
  empty++;
  console.error(`${what}: ${error ?? 'no series'}: ${expression}`);
}
if (empty > 0) process.exitCode = 1;
else console.log(`Each of ${ofBoard.length + ofAlerts.length} expressions finds series`);
