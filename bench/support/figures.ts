import { table } from './table';

/** One number beside its target. */
export interface Figure {
  database: string;
  scenario: string;
  value: number;
  unit: string;
  /** The lower or the upper bound of the value. */
  target: number;
  isLeast: boolean;
}

export const isReached = ({ value, target, isLeast }: Figure): boolean =>
  isLeast ? value >= target : value <= target;

/** Figures and their targets as a markdown table. */
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
