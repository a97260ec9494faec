import { readFileSync } from 'node:fs';
import { configFor } from './vitest.config.mts';

const suites = JSON.parse(
  readFileSync(new URL('./test/engine-suites.json', import.meta.url), 'utf8'),
) as string[];

/** `npm run test:engine`: the suites that together send every clause of every statement (`scripts/engine-suites.mjs`). */
export default configFor({ include: suites });
