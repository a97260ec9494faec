/** Whether a value that was parsed from JSON has the expected shape. */
export type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === 'string';
export const isFlag: Check = (value) => typeof value === 'boolean';
export const isNumber: Check = (value) => typeof value === 'number';
export const isInteger: Check = (value) => Number.isSafeInteger(value);
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const listOf =
  (isElement: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(isElement);
export const recordOf =
  (isElement: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(isElement);
export const optional =
  (isPresent: Check): Check =>
  (value) =>
    value === undefined || isPresent(value);
export const nullable =
  (isPresent: Check): Check =>
  (value) =>
    value === null || isPresent(value);
export const shape =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, isField]) => isField(value[name]));
