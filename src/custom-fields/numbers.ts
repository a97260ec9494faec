import { MAX_DECIMALS, MAX_NUMBER } from './custom-field-limits';

const SCALE = 10 ** MAX_DECIMALS;

/** Whether a number can be stored without loss. */
export const hasFewDecimals = (value: number): boolean =>
  Math.abs(value) <= MAX_NUMBER && Number(value.toFixed(MAX_DECIMALS)) === value;

/** Converts a number to its stored form, an integer of ten-thousandths, and back. */
export const toStored = (value: number): number => Math.round(value * SCALE);
export const fromStored = (stored: number): number => stored / SCALE;
