import { IssueTypeRepository } from '../../src/project-settings/data/issue-type.repository';
import { RoleType } from '../../src/access/role-type';
import { addSetting } from '../support/issues';
import { addSharedFile } from '../support/shared-files';
import { itOnEmbedded } from '../support/engines';
import { statementsOf } from '../support/records';
import { type ApiResponse } from '../support/api';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const MISSING = 999_999;

describe('the message about an invalid id', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;

  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
  });

  const messageOf = ({ status, body }: ApiResponse): string => {
    expect(status).toBe(400);
    const { errors } = body as { errors: { message: string }[] };
    return errors.map(({ message }) => message).join(' ');
  };
  const updating = async (changes: object): Promise<string> =>
    messageOf(await member.api.patch(`/issues/${project.issueKey}`, changes));
  const typeIds = async (): Promise<number[]> =>
    (await member.api.get<{ id: number }[]>(`/projects/${project.key}/issueTypes`)).body.map(({ id }) => id);

  it('lists the valid settings of the project', async () => {
    const { id: categoryId } = await addSetting(tested.world, project, 'categories');
    const types = (await typeIds()).join(', ');
    expect(await updating({ issueTypeId: MISSING })).toContain(`Valid ids: ${types}.`);
    expect(await updating({ statusId: MISSING })).toContain('Valid ids: 1, 2, 3, 4.');
    expect(await updating({ categoryId: [MISSING] })).toContain(`Valid ids: ${categoryId}.`);
    expect(await updating({ versionId: [MISSING] })).toMatch(/There are no valid ids\.$/);
    const path = `/projects/${project.key}/issueTypes/${project.issueTypeId}`;
    const substitute = await member.api.delete(path, { substituteIssueTypeId: MISSING });
    expect(messageOf(substitute)).toContain(`Valid ids: ${types.replace(`${project.issueTypeId}, `, '')}.`);
  });

  it('takes one query for at most 21 settings', async () => {
    for (const changes of [
      { issueTypeId: MISSING },
      { statusId: MISSING },
      { categoryId: [MISSING] },
      { versionId: [MISSING] },
    ]) {
      const statements = await statementsOf(tested.world, () => updating(changes));
      expect(statements.filter((sql) => /WHERE project_id = .* LIMIT 21$/.test(sql))).toHaveLength(1);
      expect(
        statements.filter((sql) => /^SELECT.* ORDER BY (display_order, )?id( LIMIT 21)?$/.test(sql)),
      ).toEqual([]);
    }
  });

  itOnEmbedded('finds valid uploads through the index of recent unattached files', async () => {
    const statements = await statementsOf(tested.world, () => updating({ attachmentId: [MISSING] }));
    const sql = statements.find((one) => one.includes('SELECT a.id FROM attachment a'));
    const steps = await tested.world.dataSource.query<{ detail: string }[]>(`EXPLAIN QUERY PLAN ${sql}`);
    expect(steps.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('USING INDEX ix_attachment_attached_created (attached=? AND created>?)'),
    ]);
  });

  it('lists Administrators except to guests', async () => {
    const guest = await tested.world.addMember(project, RoleType.GuestReporter);
    const fields = { content: 'Text', notifiedUserId: [MISSING] };
    const refused = await guest.api.post(`/issues/${project.issueKey}/comments`, fields);
    expect(messageOf(refused)).toContain(`Valid ids: ${member.id}, ${guest.id}.`);
    await tested.world.dataSource.query('DELETE FROM project_member WHERE project_id = ?', [project.id]);
    await tested.world.dataSource.query('UPDATE user SET role_type = 2 WHERE id <> ?', [
      tested.world.admin.id,
    ]);
    const alone = await tested.world.admin.api.post(`/issues/${project.issueKey}/comments`, fields);
    expect(messageOf(alone)).toContain(`Valid ids: ${tested.world.admin.id}.`);
  });

  it('lists people, issues, files and projects that the caller may see', async () => {
    const { world } = tested;
    const colleague = await world.addMember(project);
    const other = await world.addProject();
    // Administrators see every project.
    const members = `Valid ids: ${world.admin.id}, ${member.id}, ${colleague.id}.`;
    expect(await updating({ assigneeId: MISSING })).toContain(members);
    expect(await updating({ notifiedUserId: [MISSING] })).toContain(members);
    expect(await updating({ parentIssueId: other.issueId })).toContain(`Valid ids: ${project.issueId}.`);
    expect(await updating({ attachmentId: [MISSING] })).toMatch(/There are no valid ids\.$/);
    const uploadId = await world.addUpload(member);
    await world.addUpload(colleague);
    expect(await updating({ attachmentId: [MISSING] })).toContain(`Valid ids: ${uploadId}.`);
    const fileId = await addSharedFile(member, project);
    const linking = await member.api.post(`/issues/${project.issueKey}/sharedFiles`, { fileId: [MISSING] });
    expect(messageOf(linking)).toContain(`Valid ids: ${fileId}.`);
    const page = { projectId: other.id, name: 'Page', content: '' };
    expect(messageOf(await member.api.post('/wikis', page))).toContain(`Valid ids: ${project.id}.`);
  });

  it('lists the users and teams that an administrator may add to the project or remove from it', async () => {
    const { admin } = tested.world;
    const path = `/projects/${project.key}`;
    const direct = `Valid ids: ${member.id}.`;
    const refusal = async (method: string, below: string, body: object): Promise<string> =>
      messageOf(await admin.api.send(method, `${path}/${below}`, body));
    expect(await refusal('DELETE', 'users', { userId: admin.id })).toContain(direct);
    expect(await refusal('POST', 'administrators', { userId: admin.id })).toContain(direct);
    expect(await refusal('DELETE', 'administrators', { userId: member.id })).toMatch(
      /There are no valid ids\.$/,
    );
    const team = await tested.world.addTeam();
    expect(await refusal('POST', 'teams', { teamId: MISSING })).toContain(String(team.id));
    expect(await refusal('DELETE', 'teams', { teamId: team.id })).toMatch(/There are no valid ids\.$/);
  });

  it('lists the items of a custom field, and the custom fields', async () => {
    const path = `/projects/${project.key}/customFields`;
    const field = { typeId: 5, name: 'Colour', items: ['Red', 'Blue'] };
    const { body } = await tested.world.admin.api.post<{ id: number; items: { id: number }[] }>(path, field);
    const items = body.items.map(({ id }) => id).join(', ');
    expect(await updating({ [`customField_${body.id}`]: MISSING })).toContain(`custom field: ${items}.`);
    expect(await updating({ [`customField_${MISSING}`]: 1 })).toContain(`Valid ids: ${body.id}.`);
  });

  it('reads the valid ids after the transaction has been rolled back', async () => {
    const { world } = tested;
    const { admin } = world;
    const path = `/projects/${project.key}`;
    const page = `/wikis/${project.wikiId}/sharedFiles`;
    const type = `${path}/issueTypes/${project.issueTypeId}`;
    const requests: [Person, string, string, object][] = [
      [member, 'PATCH', `/issues/${project.issueKey}`, { issueTypeId: MISSING }],
      [member, 'PATCH', `/issues/${project.issueKey}`, { parentIssueId: MISSING }],
      [member, 'PATCH', `/issues/${project.issueKey}`, { attachmentId: [MISSING] }],
      [member, 'POST', page, { fileId: [MISSING] }],
      [member, 'DELETE', type, { substituteIssueTypeId: MISSING }],
      [admin, 'POST', '/teams', { name: 'Team', members: [MISSING] }],
      [admin, 'POST', `${path}/teams`, { teamId: MISSING }],
      [admin, 'DELETE', `${path}/teams`, { teamId: (await world.addTeam()).id }],
      [admin, 'DELETE', `${path}/users`, { userId: admin.id }],
    ];
    for (const [{ api }, method, target, body] of requests) {
      const statements = await statementsOf(world, async () => {
        expect(messageOf(await api.send(method, target, body))).toMatch(
          /Valid ids: |There are no valid ids\./,
        );
      });
      const end = statements.indexOf('ROLLBACK');
      expect([method, target, end]).toEqual([method, target, statements.length - 2]);
    }
  });

  it('lists nothing when the ids cannot be read', async () => {
    const read = vi.spyOn(tested.world.service(IssueTypeRepository), 'findFirstWireIds');
    read.mockRejectedValue(new Error('The database has gone'));
    try {
      expect(await updating({ issueTypeId: MISSING })).toMatch(/ 999999\.$/);
      expect(read).toHaveBeenCalled();
    } finally {
      read.mockRestore();
    }
  });

  it('omits the list above 20 ids, with the same number of queries', async () => {
    const ids = await typeIds();
    for (let count = ids.length; count < 20; count++) await addSetting(tested.world, project, 'issueTypes');
    expect(await updating({ issueTypeId: MISSING })).toMatch(/Valid ids: (\d+, ){19}\d+\.$/);
    const few = await statementsOf(tested.world, () => updating({ issueTypeId: MISSING }));
    await addSetting(tested.world, project, 'issueTypes');
    const many = await statementsOf(tested.world, async () => {
      expect(await updating({ issueTypeId: MISSING })).toMatch(/project: 999999\.$/);
    });
    expect(many).toHaveLength(few.length);
  });
});
