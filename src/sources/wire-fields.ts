import * as z from 'zod';
import { FIRST_GIVEN_ID } from '../archives/data/record-spool';

/** Fields of the answers of APIs. They accept what servers are known to answer, and nothing that would have to be guessed. */

/** An id that leaves room for those that the builder gives. */
export const id = z
  .int()
  .min(1)
  .max(FIRST_GIVEN_ID - 1);

/** A text; empty for none. */
export const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

export const flag = (byDefault: boolean) =>
  z
    .boolean()
    .nullish()
    .transform((value) => value ?? byDefault);

/** A time, in milliseconds. */
export const time = z.string().transform((value, context) => {
  const parsed = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) ? Date.parse(value) : NaN;
  if (!Number.isNaN(parsed)) return parsed;
  context.issues.push({ code: 'custom', message: 'expected a time', input: value });
  return z.NEVER;
});

/** A list; empty for none. */
export const list = <T extends z.ZodType>(element: T) =>
  z
    .array(element)
    .nullish()
    .transform((value) => value ?? []);

export const named = z.object({ id, name: z.string() });
