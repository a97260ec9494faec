import { randomUUID } from 'node:crypto';
import { type World } from '../world';
import { ADMINISTRATORS, type Names, type OperationCase, type OperationCases, times } from './operation-case';

/** Adds a stopped import to the database, which has written nothing, and returns its id. */
async function addRow(world: World): Promise<number> {
  const spool = randomUUID();
  await world.write(async (manager) => {
    await manager.query(
      `INSERT INTO import_run (name, size, spool, state, phase, options, bases, created)
        VALUES ('projects.pms', 1, ?, 2, 'check', '{"projects":{},"users":{},"keepsAccounts":false}', '{}', ?)`,
      [spool, Date.now()],
    );
  });
  const [{ id }] = await world.dataSource.query<[{ id: number | string }]>(
    'SELECT id FROM import_run WHERE spool = ?',
    [spool],
  );
  return Number(id);
}

const ONE: OperationCase = {
  right: ADMINISTRATORS,
  scope: 'space',
  names: async (world): Promise<Names> => ({ importId: await addRow(world) }),
};

export const importOperations: OperationCases = {
  listImports: {
    right: ADMINISTRATORS,
    scope: 'space',
    list: { fill: (world, _project, count) => times(count, () => addRow(world)) },
  },
  addImport: {
    right: ADMINISTRATORS,
    scope: 'space',
    body: async (world) => {
      // Makes room for another.
      await world.write((manager) => manager.query('UPDATE import_run SET state = 6 WHERE state IN (1, 2)'));
      const form = new FormData();
      form.set('file', new Blob(['no archive']), 'projects.pms');
      return form;
    },
  },
  mergeUser: {
    right: ADMINISTRATORS,
    scope: 'person',
    names: async (world, project): Promise<Names> => {
      const { id } = await world.addMember(project);
      await world.write((manager) =>
        manager.query('UPDATE user SET placeholder = 1, disabled = 1 WHERE id = ?', [id]),
      );
      return { userId: id };
    },
    body: async (world, _person, project) => {
      await world.write((manager) => manager.query('UPDATE import_run SET state = 6 WHERE state IN (1, 2)'));
      return { intoUserId: (await world.addMember(project)).id };
    },
  },
  getImport: ONE,
  resumeImport: ONE,
  cancelImport: ONE,
};
