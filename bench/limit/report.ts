import { type Measurement } from '../support/load';
import { table } from '../support/table';

/** The service compared with the limit: the ratio of their requests per second must reach the target. */
export interface LimitResult {
  scenario: string;
  service: Measurement;
  limit: Measurement;
  ratio: number;
  target: number;
  reached: boolean;
}

/** A value that must stay below its target. */
export interface BoundResult {
  scenario: string;
  value: number;
  unit: string;
  target: number;
  reached: boolean;
}

/** Compares a value with its target. */
export const bound = (scenario: string, value: number, unit: string, target: number): BoundResult => ({
  scenario,
  value,
  unit,
  target,
  reached: value <= target,
});

/** The results on one database. */
export interface DatabaseResults {
  database: string;
  againstLimit: LimitResult[];
  bounds: BoundResult[];
}

/** Returns every missed target. */
export const missed = (results: readonly DatabaseResults[]): string[] =>
  results.flatMap(({ database, againstLimit, bounds }) =>
    [...againstLimit, ...bounds]
      .filter(({ reached }) => !reached)
      .map(({ scenario }) => `${database}: ${scenario}`),
  );

/** Returns the results as markdown tables, aligned so that they are readable in a terminal too. */
export function toMarkdown(results: readonly DatabaseResults[]): string {
  const limitRows = results.flatMap(({ database, againstLimit }) =>
    againstLimit.map((row) => [
      database,
      row.scenario,
      rate(row.service),
      rate(row.limit),
      latency(row.service),
      latency(row.limit),
      row.ratio.toFixed(2),
      `≥ ${row.target.toFixed(2)}`,
      verdict(row.reached),
    ]),
  );
  const boundRows = results.flatMap(({ database, bounds }) =>
    bounds.map((row) => [
      database,
      row.scenario,
      quantity(row.value, row.unit),
      `≤ ${quantity(row.target, row.unit)}`,
      verdict(row.reached),
    ]),
  );
  return [
    table(
      [
        'database',
        'scenario',
        'service, req/s',
        'limit, req/s',
        'service p50 / p99, ms',
        'limit p50 / p99, ms',
        'ratio',
        'target',
        'reached',
      ],
      limitRows,
    ),
    table(['database', 'scenario', 'value', 'target', 'reached'], boundRows),
  ]
    .filter((text) => text !== '')
    .join('\n');
}

const rate = ({ requestsPerSecond }: Measurement): string =>
  Math.round(requestsPerSecond).toLocaleString('en');
const latency = ({ p50, p99 }: Measurement): string => `${p50} / ${p99}`;
const verdict = (reached: boolean): string => (reached ? 'yes' : 'NO');
const quantity = (value: number, unit: string): string =>
  `${unit === '× time' ? value.toFixed(2) : Math.round(value).toLocaleString('en')} ${unit}`;
