import { addIssue, newIssue, notificationsOf, threadOf } from '../support/issues';
import { activitiesOf } from '../support/records';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const TIMES = 50;

describe('/issues under fifty simultaneous requests', () => {
  // So that all requests run concurrently.
  const tested = useWorld({ MAX_USER_REQUESTS: '0' });
  let project: ProjectFixture;
  let member: Person;

  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
  });

  const atOnce = (work: (index: number) => Promise<any>): Promise<any[]> =>
    Promise.all(Array.from({ length: TIMES }, (_, index) => work(index)));

  it('gives new issues consecutive keys and writes activity 1 once for each', async () => {
    const answers = await atOnce((index) =>
      member.api.post('/issues', newIssue(project, { summary: `Issue ${index}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(TIMES).fill(201));
    const numbers = answers.map(({ body }) => body.keyId as number).sort((one, other) => one - other);
    expect(numbers).toEqual(Array.from({ length: TIMES }, (_, index) => index + 2));
    const told = (await activitiesOf(tested.world, project)).filter(({ type }) => type === 1);
    expect(told.map(({ content }) => content.key_id).sort()).toEqual([...numbers].sort());
  });

  it('leaves no gap between keys when some of the issues are refused', async () => {
    const upload = await tested.world.addUpload(member);
    const answers = await atOnce((index) =>
      member.api.post('/issues', newIssue(project, index % 2 === 0 ? { attachmentId: [upload] } : {})),
    );
    const added = answers.filter(({ status }) => status === 201);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(TIMES - added.length);
    // The upload is attached once.
    expect(added).toHaveLength(TIMES / 2 + 1);
    expect((await addIssue(member, project)).keyId).toBe(added.length + 2);
  });

  it('deletes an issue once', async () => {
    const { id } = await addIssue(member, project);
    const answers = await atOnce(() => tested.world.admin.api.delete(`/issues/${id}`));
    expect(answers.map(({ status }) => status as number).sort()).toEqual([
      200,
      ...Array<number>(TIMES - 1).fill(404),
    ]);
    const told = (await activitiesOf(tested.world, project)).filter(({ type }) => type === 4);
    expect(told).toHaveLength(1);
    const [{ used }] = await tested.world.dataSource.query<[{ used: number }]>(
      "SELECT used FROM project_counter WHERE project_id = ? AND name = 'issue'",
      [project.id],
    );
    expect(used).toBe(1);
  });

  it('creates no grandchild when a parent becomes a child', async () => {
    const parent = await addIssue(member, project);
    const answers = await atOnce((index) =>
      index === TIMES / 2
        ? member.api.patch(`/issues/${parent.id}`, { parentIssueId: project.issueId })
        : member.api.post('/issues', newIssue(project, { parentIssueId: parent.id })),
    );
    for (const { status } of answers) expect([200, 201, 400]).toContain(status);
    const rows = await tested.world.dataSource.query(
      `SELECT c.id FROM issue c JOIN issue p ON p.id = c.parent_issue_id
        WHERE c.project_id = ? AND p.parent_issue_id IS NOT NULL`,
      [project.id],
    );
    expect(rows).toEqual([]);
  });

  it('answers 200 or 201 to mixed reads, additions, updates and comments', async () => {
    const reader = await tested.world.addMember(project);
    const { id } = await addIssue(member, project);
    const answers = await atOnce((index) => {
      switch (index % 5) {
        case 0:
          return member.api.get(`/issues?projectId[]=${project.id}`);
        case 1:
          return member.api.post('/issues', newIssue(project, { assigneeId: reader.id }));
        case 2:
          return member.api.patch(`/issues/${id}`, {
            summary: `Summary ${index}`,
            notifiedUserId: [reader.id],
          });
        case 3:
          return member.api.post(`/issues/${id}/comments`, { content: 'Text', notifiedUserId: [reader.id] });
        default:
          return reader.api.get(`/issues/${id}`);
      }
    });
    for (const { status } of answers) expect([200, 201]).toContain(status);
    const told = await notificationsOf(tested.world, await threadOf(tested.world, id));
    expect(told.map(({ reason }) => reason).sort()).toEqual([
      ...Array<number>(10).fill(2),
      ...Array<number>(10).fill(4),
    ]);
  });
});
