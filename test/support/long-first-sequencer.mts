import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Runs unit tests last, and before them the suites that took longest first: one that starts late would run alone at the end. A new
 * clone knows no durations.
 */
export class LongFirstSequencer extends BaseSequencer {
  override async sort(suites: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(suites);
    return [...sorted.filter((suite) => !isUnit(suite)), ...sorted.filter(isUnit)];
  }
}

const isUnit = ({ moduleId, project }: TestSpecification): boolean =>
  ['src', 'bench'].includes(relative(project.config.root, moduleId).split(sep)[0] ?? '');
