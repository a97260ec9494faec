import { table } from './table';

/** A measured value and its target. */
export interface Figure {
  database: string;
  scenario: string;
  value: number;
  unit: string;
  /** The lower or upper bound of the value. */
  target: number;
  isLeast: boolean;
}

export const isReached = ({ value, target, isLeast }: Figure): boolean =>
  isLeast ? value >= target : value <= target;

/** Returns the figures and their targets as a markdown table. */
export const toMarkdown = (figures: readonly Figure[]): string =>
  table(
    ['database', 'scenario', 'value', 'target', 'reached'],
    figures.map((figure) => [
      figure.database,
      figure.scenario,
      quantity(figure.value, figure.unit),
      `${figure.isLeast ? '≥' : '≤'} ${quantity(figure.target, figure.unit)}`,
      isReached(figure) ? 'yes' : 'NO',
    ]),
  );

const quantity = (value: number, unit: string): string =>
  `${unit.startsWith('×') ? value.toFixed(2) : Math.round(value).toLocaleString('en')} ${unit}`;
