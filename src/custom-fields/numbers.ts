import { MAX_DECIMALS, MAX_NUMBER } from './custom-field-limits';

const SCALE = 10 ** MAX_DECIMALS;

/** Whether a number can be stored as it is. */
export const hasFewDecimals = (value: number): boolean =>
  Math.abs(value) <= MAX_NUMBER && Number(value.toFixed(MAX_DECIMALS)) === value;

/** A number as it is stored, in whole ten-thousandths, and back. */
export const toStored = (value: number): number => Math.round(value * SCALE);
export const fromStored = (stored: number): number => stored / SCALE;
