import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** How many other suites begin with each one that mostly waits. */
const BESIDE = 2;

/**
 * Runs unit tests last, and before them the suites that took longest first: one that starts late would run alone at the end. A new
 * clone knows no durations, and those of a run on SQLite say nothing about the suites of the database: on a server, they take longest, but
 * mostly wait. They begin early there, each beside others.
 */
export class LongFirstSequencer extends BaseSequencer {
  override async sort(suites: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(suites);
    const waiting = [
      ...sorted.filter((suite) => isWaiting(suite) && !isUnit(suite)),
      ...sorted.filter((suite) => isWaiting(suite) && isUnit(suite)),
    ];
    const units = sorted.filter((suite) => isUnit(suite) && !isWaiting(suite));
    const others = sorted.filter((suite) => !isUnit(suite) && !isWaiting(suite));
    const first = waiting.flatMap((suite) => [suite, ...others.splice(0, BESIDE)]);
    return [...first, ...others, ...units];
  }
}

const placeOf = ({ moduleId, project }: TestSpecification): string[] =>
  relative(project.config.root, moduleId).split(sep);

const isUnit = (suite: TestSpecification): boolean => ['src', 'bench'].includes(placeOf(suite)[0] ?? '');

const isWaiting = (suite: TestSpecification): boolean =>
  process.env.TEST_DATABASE_URL !== undefined && placeOf(suite)[1] === 'database';
