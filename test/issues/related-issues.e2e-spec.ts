import { RoleType } from '../../src/access/role-type';
import { addIssue, type IssueBody } from '../support/issues';
import { activitiesOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const LIMIT = 4;

describe('/issues/{issueIdOrKey}/relatedIssues', () => {
  const tested = useWorld({ MAX_RELATED_ISSUES: String(LIMIT), MAX_USER_REQUESTS: '0' });
  let project: ProjectFixture;
  let member: Person;
  let issue: IssueBody;
  let other: IssueBody;

  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
    issue = await addIssue(member, project);
    other = await addIssue(member, project);
  });

  const relate = (one: { id: number }, target: { id: number }, person = member) =>
    person.api.post(`/issues/${one.id}/relatedIssues`, { targetIssueId: target.id });
  const list = async (one: { id: number }, person = member): Promise<IssueBody[]> => {
    const { status, body } = await person.api.get<IssueBody[]>(`/issues/${one.id}/relatedIssues`);
    expect(status).toBe(200);
    return body;
  };
  const idsOf = async (one: { id: number }, person = member): Promise<number[]> =>
    (await list(one, person)).map(({ id }) => id);

  it('adds, lists and removes a relation from either side, without an activity', async () => {
    const { world } = tested;
    const before = await activitiesOf(world, project);
    const reporter = await world.addMember(project, RoleType.Reporter);
    const added = await relate(issue, other, reporter);
    expect(added.status).toBe(200);
    expect(added.body).toEqual({ ...other, type: 'RELATES' });
    expect(await list(issue)).toEqual([{ ...other, type: 'RELATES' }]);
    expect(await list(other)).toEqual([{ ...issue, type: 'RELATES' }]);
    const ended = await reporter.api.delete(`/issues/${other.issueKey}/relatedIssues/${issue.id}`);
    expect({ status: ended.status, body: ended.body }).toEqual({
      status: 200,
      body: { ...issue, type: 'RELATES' },
    });
    expect([await list(issue), await list(other)]).toEqual([[], []]);
    expect((await member.api.delete(`/issues/${issue.id}/relatedIssues/${other.id}`)).status).toBe(404);
    expect(await activitiesOf(world, project)).toEqual(before);
  });

  it('stores one relation for both directions, and none of an issue to itself', async () => {
    const answers = await Promise.all(
      [...Array(10).keys()].map((number) => (number % 2 ? relate(issue, other) : relate(other, issue))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect([await idsOf(issue), await idsOf(other)]).toEqual([[other.id], [issue.id]]);
    const itself = await relate(issue, issue);
    expect(itself).toMatchObject({ status: 200, body: { id: issue.id, type: 'RELATES' } });
    expect(await idsOf(issue)).toEqual([other.id]);
  });

  it('answers 409 beyond the limit of either issue, also to simultaneous requests', async () => {
    const others = await Promise.all([...Array(LIMIT + 3).keys()].map(() => addIssue(member, project)));
    const answers = await Promise.all(
      others.map((one, index) => (index % 2 ? relate(issue, one) : relate(one, issue))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(LIMIT).fill(200),
      ...Array<number>(3).fill(409),
    ]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual(errorShape(9));
    const related = await idsOf(issue);
    expect(related).toHaveLength(LIMIT);
    // An existing relation does not count again.
    expect((await relate(issue, { id: related[0] as number })).status).toBe(200);
    expect((await relate(other, issue)).status).toBe(409);
    expect(await idsOf(other)).toEqual([]);
  });

  it('lists issues in the order of addition, even within the same millisecond', async () => {
    const third = await addIssue(member, project);
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now());
    try {
      await relate(issue, third);
      await relate(other, issue);
    } finally {
      now.mockRestore();
    }
    expect(await idsOf(issue)).toEqual([third.id, other.id]);
  });

  it('lists only issues that the caller can see, and refuses to add others', async () => {
    const { world } = tested;
    const elsewhere = await world.addProject();
    const hidden = { id: elsewhere.issueId };
    expect((await relate(issue, hidden, world.admin)).status).toBe(200);
    await relate(issue, other);
    expect(await idsOf(issue)).toEqual([other.id]);
    expect(await idsOf(issue, world.admin)).toEqual([hidden.id, other.id]);
    expect((await member.api.delete(`/issues/${issue.id}/relatedIssues/${hidden.id}`)).status).toBe(404);
    for (const body of [
      {},
      { targetIssueId: hidden.id },
      { targetIssueId: 999_999 },
      { targetIssueId: 'X-1' },
    ]) {
      await expectRefused(world, () => member.api.post(`/issues/${issue.id}/relatedIssues`, body), [
        'targetIssueId',
      ]);
    }
    const viewer = await world.addMember(project, RoleType.Viewer);
    expect((await relate(issue, other, viewer)).status).toBe(403);
  });

  it('removes relations along with either issue or its project', async () => {
    const { world } = tested;
    const elsewhere = await world.addProject();
    await relate(issue, other);
    await relate(issue, { id: elsewhere.issueId }, world.admin);
    expect((await world.admin.api.delete(`/issues/${other.id}`)).status).toBe(200);
    expect(await idsOf(issue, world.admin)).toEqual([elsewhere.issueId]);
    expect((await world.admin.api.delete(`/projects/${elsewhere.key}`)).status).toBe(200);
    expect(await idsOf(issue, world.admin)).toEqual([]);
    await world.whenIdle();
    const rows = await world.dataSource.query<unknown[]>(
      'SELECT 1 FROM related_issue WHERE first_issue_id = ? OR second_issue_id = ?',
      [issue.id, issue.id],
    );
    expect(rows).toEqual([]);
  });
});
