import { findBrokenReferences } from '../database/schema/foreign-keys';
import { type Snapshot } from '../database/snapshot/snapshot';
import { countWrongCounters, countWrongMemberships, readStorageUse } from './data/counters';
import { counted } from '../quantities';
import { type Finding, ok, problem, warning } from './finding';

/** Checks whether the rows are consistent. */
export async function* checkContents(snapshot: Snapshot): AsyncGenerator<Finding> {
  const broken = await findBrokenReferences(snapshot, snapshot.isEmbedded);
  yield broken.length === 0
    ? ok('references', 'All references between rows are valid.')
    : problem(
        'references',
        broken
          .map(({ table, parent, rows }) => `${counted(rows, 'row')} of ${table} without their ${parent}`)
          .join(', '),
        'See pms doctor --fix --dry-run; what it leaves needs a backup.',
      );
  const wrong = await countWrongCounters(snapshot);
  yield wrong.length === 0
    ? ok('counters', 'They match the rows.')
    : problem(
        'counters',
        wrong.map(({ name, projects }) => `${name} in ${counted(projects, 'project')}`).join(', '),
        'Run pms doctor --fix; until then, limits and numbers of new items are wrong.',
      );
  const memberships = await countWrongMemberships(snapshot);
  yield memberships === 0
    ? ok('memberships', 'They match the teams of the projects.')
    : problem(
        'memberships',
        `${counted(memberships, 'membership')} by teams do not match the teams.`,
        'Run pms doctor --fix; until then, rights follow the memberships.',
      );
  const { counted: used, actual } = await readStorageUse(snapshot);
  yield used === actual
    ? ok('used storage', counted(used, 'byte'))
    : warning(
        'used storage',
        `${counted(used, 'byte')} are recorded, but files and git repositories take ${counted(actual, 'byte')}.`,
        'Run pms doctor --fix; until then, the recorded size counts against SPACE_CAPACITY.',
      );
}
