import { inject } from 'vitest';
import { Page } from '../../../src/paging/page';
import { differences, type RowCall } from './shapes';

declare module 'vitest' {
  interface ProvidedContext {
    rowCalls: RowCall[];
  }
  interface TaskMeta {
    /** The calls whose rows a suite read. */
    readRows?: string[];
  }
}

declare global {
  /** Compares what a call returns with the type that the call states. */
  var __rows__: <Result>(place: string, result: Result) => Result;
}

// The tests of a suite fail if a row is not of the type that its statement declares.
const shapes = new Map(inject('rowCalls').map(({ place, shape }) => [place, shape]));
const problems = new Set<string>();
const read = new Set<string>();
// Not one that a test replaces.
const { setImmediate } = globalThis;

globalThis.__rows__ = (place, result) => {
  if (!(result instanceof Promise)) return result;
  return result.then((rows) => {
    // The caller first converts what the drivers return, in the same object.
    setImmediate(() => check(place, rows));
    return rows as unknown;
  }) as typeof result;
};

function check(place: string, rows: unknown): void {
  if (hasRows(rows)) read.add(place);
  for (const difference of differences(rows, shapes.get(place) ?? null))
    problems.add(`${place}: ${difference}`);
}

/** Whether a result is a row, or a list or a page with one. */
function hasRows(rows: unknown): boolean {
  if (Array.isArray(rows)) return rows.length > 0;
  return rows instanceof Page ? rows.items.length > 0 : Boolean(rows);
}

// Vitest requires the pattern.
// oxlint-disable-next-line no-empty-pattern
afterAll(async ({}, suite) => {
  await new Promise((resolve) => void setImmediate(resolve));
  suite.meta.readRows = [...read];
  expect([...problems].sort()).toEqual([]);
});
