import { readFileSync } from 'node:fs';
import { configFor } from './vitest.config.mts';

const suites = JSON.parse(readFileSync(new URL('./test/engine-suites.json', import.meta.url), 'utf8')) as {
  mysql: string[];
  galera: string[];
};
const isCluster = process.env.TEST_DATABASE_URL?.includes(',') ?? false;

/** `npm run test:engine`: the suites that together send what the engine can reject (`scripts/engine-suites.mjs`). */
export default configFor({ include: isCluster ? suites.galera : suites.mysql });
