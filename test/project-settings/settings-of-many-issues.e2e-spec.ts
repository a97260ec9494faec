import { RoleType } from '../../src/access/role-type';
import { isEmbedded } from '../../src/database/sql/statements';
import { loopTurns } from '../../src/event-loop/loop-turns';
import { IssuesService } from '../../src/issues/issues.service';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

/** More than one statement removes from any table. */
const ISSUES = 501;

describe('the removal of settings that many issues have', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;
  let path: string;

  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project, RoleType.NormalUser, true);
    path = `/projects/${project.key}`;
    await tested.world.write(async (manager) => {
      for (let number = 1; number < ISSUES; number++) {
        await tested.world.service(IssuesService).add(manager, {
          projectId: project.id,
          issueTypeId: project.issueTypeId,
          statusId: project.statusId,
          summary: 'An issue',
          description: '',
          createdUserId: member.id,
        });
      }
    });
  });

  const add = async (kind: string, fields: object): Promise<{ id: number; items?: { id: number }[] }> =>
    (await member.api.post<{ id: number }>(`${path}/${kind}`, fields)).body;

  const giveAll = (table: string, column: string, id: number): Promise<unknown> =>
    tested.world.dataSource.query(
      `INSERT INTO ${table} (issue_id, ${column}) SELECT id, ? FROM issue WHERE project_id = ?`,
      [id, project.id],
    );

  const rowsOf = async (table: string, condition = '1 = 1'): Promise<number> => {
    const [row] = await tested.world.dataSource.query<[{ count: number | string }]>(
      `SELECT COUNT(*) AS count FROM ${table} WHERE ${condition}`,
    );
    return Number(row.count);
  };

  /** Returns how often the work let other requests run: never on a server, which does the work. */
  async function slicesOf(work: () => Promise<{ status: number }>): Promise<number> {
    const slices = vi.spyOn(loopTurns, 'nextSlice');
    expect((await work()).status).toBe(200);
    const { length } = slices.mock.calls;
    slices.mockRestore();
    return isEmbedded(tested.world.dataSource) ? length : Infinity;
  }

  it.each([
    ['categories', { name: 'A category' }, ['issue_category'], 'category_id'],
    ['versions', { name: 'A version' }, ['issue_version', 'issue_milestone'], 'version_id'],
    ['customFields', { name: 'A text', typeId: 1 }, ['issue_custom_field'], 'custom_field_id'],
  ])('clears one of the %s in slices', async (kind, fields, tables, column) => {
    const { id } = await add(kind, fields);
    for (const table of tables) await giveAll(table, column, id);
    const slices = await slicesOf(() => member.api.delete(`${path}/${kind}/${id}`));
    expect(slices).toBeGreaterThanOrEqual(tables.length);
    for (const table of tables) expect(await rowsOf(table, `${column} = ${id}`)).toBe(0);
  });

  it('clears the items of a custom field in slices', async () => {
    const field = await add('customFields', { name: 'A list', typeId: 6, items: ['One', 'Two', 'Three'] });
    const [one, two, three] = (field.items ?? []).map(({ id }) => id) as [number, number, number];
    for (const item of [one, two, three]) await giveAll('issue_custom_field_item', 'item_id', item);
    const fieldPath = `${path}/customFields/${field.id}`;
    expect(await slicesOf(() => member.api.delete(`${fieldPath}/items/${one}`))).toBeGreaterThanOrEqual(1);
    expect(await rowsOf('issue_custom_field_item', `item_id = ${one}`)).toBe(0);
    expect(await slicesOf(() => member.api.patch(fieldPath, { items: ['Two'] }))).toBeGreaterThanOrEqual(1);
    expect(await rowsOf('issue_custom_field_item', `item_id = ${three}`)).toBe(0);
    expect(await rowsOf('issue_custom_field_item', `item_id = ${two}`)).toBe(ISSUES);
    expect(await slicesOf(() => member.api.delete(fieldPath))).toBeGreaterThanOrEqual(1);
    expect(await rowsOf('issue_custom_field_item', `item_id = ${two}`)).toBe(0);
  });

  it('replaces an issue type in slices, and marks the issues as unread for their watchers', async () => {
    const substitute = await add('issueTypes', { name: 'A type', color: '#990000' });
    await tested.world.dataSource.query(
      `INSERT INTO watching (user_id, issue_id, project_id, note, already_read, resource_already_read, created, updated)
       SELECT ?, id, project_id, '', 1, 1, 1, 1 FROM issue WHERE project_id = ?`,
      [member.id, project.id],
    );
    const typePath = `${path}/issueTypes/${project.issueTypeId}`;
    const slices = await slicesOf(() =>
      member.api.delete(typePath, { substituteIssueTypeId: substitute.id }),
    );
    expect(slices).toBeGreaterThanOrEqual(5);
    expect(await rowsOf('issue', `issue_type_id = ${substitute.id}`)).toBe(ISSUES);
    expect(
      await rowsOf(
        'watching',
        `project_id = ${project.id} AND already_read = 0 AND resource_already_read = 0`,
      ),
    ).toBe(ISSUES);
  });
});
