import { insertRow } from '../../../src/database/sql/rows';
import { Watching } from '../../../src/issues/entities/watching.entity';
import { type Person, type ProjectFixture, type World } from '../world';
import { addUniqueIssue } from './issues.operations';
import {
  ADMINISTRATORS,
  EVERYONE,
  type Names,
  type OperationCase,
  type OperationCases,
  times,
} from './operation-case';

/** Adds a watching by the owner, of an issue in a project that they belong to. */
async function aWatching(world: World, _project: ProjectFixture, owner: Person): Promise<Names> {
  const project = await world.addProject();
  await world.join(project, owner);
  const watchingId = await world.write((manager) =>
    insertRow(manager, Watching, {
      userId: owner.id,
      issueId: project.issueId,
      projectId: project.id,
      note: '',
      alreadyRead: false,
      resourceAlreadyRead: false,
      created: Date.now(),
      updated: Date.now(),
    }),
  );
  return { watchingId };
}

const OWN: OperationCase = {
  right: { ...EVERYONE, ownerOnly: true },
  scope: 'person',
  names: (_world, _project, { id }) => ({ userId: id }),
};
const READ: OperationCase = { ...OWN, right: { ...ADMINISTRATORS, orOwner: true } };
const WATCHING: OperationCase = { right: EVERYONE, scope: 'personal', names: aWatching };

export const watchingOperations: OperationCases = {
  listWatchings: {
    ...READ,
    list: {
      fill: (world, _project, count) =>
        times(count, async () => {
          const issueIdOrKey = String(await addUniqueIssue(world));
          await world.admin.api.post('/watchings', { issueIdOrKey });
        }),
    },
  },
  countWatchings: READ,
  markWatchingsAsChecked: OWN,
  addWatching: {
    right: EVERYONE,
    scope: 'space',
    body: async (world, person) => {
      const project = await world.addProject();
      await world.join(project, person);
      return { issueIdOrKey: project.issueKey, note: 'A note' };
    },
  },
  getWatching: WATCHING,
  updateWatching: { ...WATCHING, body: () => ({ note: 'Another note' }) },
  deleteWatching: WATCHING,
  markWatchingAsRead: WATCHING,
};
