import { table } from '../support/table';
import { type CallerName, CALLERS } from './callers';
import { type Measured } from './measure';

/** Maximum factor by which a list may slow down with a hundred times the data. */
export const TARGET = 3;

/** The result of one list on one database. */
export interface ListResult {
  database: string;
  list: string;
  caller: CallerName;
  small: Measured;
  large: Measured;
}

export const ratioOf = ({ small, large }: Pick<ListResult, 'small' | 'large'>): number =>
  large.time / small.time;

/** Whether the ratio as shown in the table is within the target. */
export const isReached = (result: Pick<ListResult, 'small' | 'large'>): boolean =>
  Number(ratioOf(result).toFixed(2)) <= TARGET;

/** Returns the results as a markdown table. */
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

/** Returns the lists that miss the target, one line each. */
export const missesOf = (results: readonly ListResult[]): string[] =>
  results
    .filter((result) => !isReached(result))
    .map(
      (result) =>
        `${result.database}: ${result.list} (${CALLERS[result.caller].label}): ${ratioOf(result).toFixed(2)}`,
    );
