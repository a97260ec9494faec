import { type ApiResponse } from '../support/api';
import {
  call,
  CASES_ENVIRONMENT,
  type Names,
  OPERATIONS,
  TESTED_OPERATIONS,
  type TestedOperation,
} from '../support/operations';
import { statementsOf } from '../support/records';
import { type ProjectFixture, pullRequestComments, useWorld } from '../support/world';

const FEW = 3;
const MANY = 15;
/** Operations that return a list, and those whose case declares a nested one. */
const LISTS = TESTED_OPERATIONS.filter(
  ({ method, returnsList, list, withGit }) => ((method === 'GET' && returnsList) || list) && !withGit,
);

describe('the number of SQL statements', () => {
  const tested = useWorld(CASES_ENVIRONMENT);
  let project: ProjectFixture;

  beforeAll(() => tested.world.stopDeliveries());
  beforeEach(async () => {
    project = await tested.world.addProject();
  });

  /** Returns the statements of an operation, and the number of rows in its response. */
  async function read(
    operation: TestedOperation,
    names: Names,
    count: number,
  ): Promise<{ statements: string[]; rows: number }> {
    const { world } = tested;
    const query = operation.isPaged ? { count: String(count) } : undefined;
    const body = await operation.body?.(world, world.admin, project, names);
    let answer!: ApiResponse;
    const statements = await statementsOf(world, async () => {
      answer = await call(world, operation, world.admin.key, names, { body, query });
    });
    expect(answer.status).toBe(operation.status);
    return { statements: ownStatements(statements), rows: (answer.body as unknown[]).length };
  }

  it('is counted for every list', () => {
    const uncounted = LISTS.filter(({ list, isFixedList }) => !list && !isFixedList).map(({ id }) => id);
    expect(uncounted).toEqual([]);
  });

  it.each(LISTS.filter(({ list }) => list))(
    `stays the same for ${FEW} and for ${MANY} rows of $id`,
    async (operation) => {
      const { world } = tested;
      const { names: name, list } = operation;
      const names = (await name?.(world, project, world.admin)) ?? {};
      const fill = async (count: number): Promise<unknown> => list?.fill(world, project, count, names);
      // A paged list shows few of many rows; any other must have few rows first.
      await fill(operation.isPaged ? MANY : FEW);
      const few = await read(operation, names, FEW);
      if (!operation.isPaged) await fill(MANY - FEW);
      const many = await read(operation, names, MANY);
      expect(few.statements).not.toEqual([]);
      // Their texts may differ; a failure shows them only when the numbers differ.
      if (many.statements.length !== few.statements.length) {
        expect(many.statements).toEqual(few.statements);
      }
      if (operation.returnsList) expect(many.rows - few.rows).toBe(MANY - FEW);
    },
  );

  it('stays at most 8 for a list of 100 comments', async () => {
    const { world } = tested;
    await OPERATIONS.listPullRequestComments?.list?.fill(world, project, 100, {});
    const statements = await statementsOf(world, async () => {
      const { body } = await world.admin.api.get(`${pullRequestComments(project)}?count=100`);
      expect(body).toHaveLength(100);
    });
    expect(ownStatements(statements).length).toBeLessThanOrEqual(8);
  });

  it('stays the same for a comment that notifies 1 or 100 users', async () => {
    const { world } = tested;
    const members: number[] = [];
    while (members.length < 100) members.push((await world.addMember(project)).id);
    const statementsFor = async (count: number): Promise<string[]> => {
      const body = { content: 'Hello', notifiedUserId: members.slice(0, count) };
      const statements = await statementsOf(world, async () => {
        const { status } = await world.admin.api.post(`/issues/${project.issueKey}/comments`, body);
        expect(status).toBe(201);
      });
      return ownStatements(statements);
    };
    const [many, one] = [await statementsFor(100), await statementsFor(1)];
    if (many.length !== one.length) expect(many).toEqual(one);
  });
});

/** Removes the guard's second lookup, which is sent only when the body arrives after the head. */
const ownStatements = (statements: readonly string[]): string[] =>
  statements.filter((sql, index) => sql !== statements[index - 1]);
