import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Runs unit tests last, and before them the suites that took longest first: one that starts late would run alone at the end. A new
 * clone knows no durations, and those of a run on SQLite say nothing about the suites of the database, which take longest on a server.
 */
export class LongFirstSequencer extends BaseSequencer {
  override async sort(suites: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(suites);
    const ranks = new Map(sorted.map((suite) => [suite, rankOf(suite)]));
    return sorted.toSorted((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0));
  }
}

function rankOf({ moduleId, project }: TestSpecification): number {
  const [root = '', folder] = relative(project.config.root, moduleId).split(sep);
  if (folder === 'database' && process.env.TEST_DATABASE_URL) return root === 'test' ? 0 : 1;
  return ['src', 'bench'].includes(root) ? 3 : 2;
}
