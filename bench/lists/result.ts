import { table } from '../support/table';
import { type CallerName, CALLERS } from './callers';
import { type Measured } from './measure';

/** How many times as long a list may take with a hundred times the data. */
export const TARGET = 3;

/** One list on one database. */
export interface ListResult {
  database: string;
  list: string;
  caller: CallerName;
  small: Measured;
  large: Measured;
}

export const ratioOf = ({ small, large }: Pick<ListResult, 'small' | 'large'>): number =>
  large.time / small.time;

/** Whether the ratio as the table shows it is within the target. */
export const isReached = (result: Pick<ListResult, 'small' | 'large'>): boolean =>
  Number(ratioOf(result).toFixed(2)) <= TARGET;

/** The results as a markdown table. */
export const toMarkdown = (results: readonly ListResult[]): string =>
  table(
    [
      'database',
      'list',
      'caller',
      'records, small / large',
      'small, ms',
      'large, ms',
      'ratio',
      'target',
      'reached',
    ],
    results.map((result) => [
      result.database,
      `\`${result.list}\``,
      CALLERS[result.caller].label,
      `${result.small.records.toLocaleString('en')} / ${result.large.records.toLocaleString('en')}`,
      milliseconds(result.small.time),
      milliseconds(result.large.time),
      ratioOf(result).toFixed(2),
      `≤ ${TARGET}`,
      isReached(result) ? 'yes' : 'NO',
    ]),
  );

const milliseconds = (time: number): string =>
  time < 100 ? time.toFixed(1) : Math.round(time).toLocaleString('en');

/** The lists that miss the target, one line each. */
export const missesOf = (results: readonly ListResult[]): string[] =>
  results
    .filter((result) => !isReached(result))
    .map(
      (result) =>
        `${result.database}: ${result.list} (${CALLERS[result.caller].label}): ${ratioOf(result).toFixed(2)}`,
    );
