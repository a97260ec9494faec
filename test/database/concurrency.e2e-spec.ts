import { activitiesOf, everythingStored, usedBytes } from '../support/records';
import { notificationEntry } from '../support/shapes';
import { type Person, type ProjectFixture, pullRequestComments, World } from '../support/world';

const TIMES = 50;
const FILE_SIZE = 10;
const FILES_WITH_ROOM = 20;

/** Runs work fifty times at once, and returns the number of results by status. */
async function atOnce<T extends { status: number }>(
  work: (index: number) => Promise<T>,
): Promise<{ answers: T[]; counts: Record<number, number> }> {
  const answers = await Promise.all(Array.from({ length: TIMES }, (_, index) => work(index)));
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return { answers, counts };
}

const byNumber = (a: number, b: number): number => a - b;

describe('the service under fifty simultaneous requests', () => {
  let world: World;
  let project: ProjectFixture;
  let member: Person;

  beforeAll(async () => {
    world = await World.start({
      SPACE_CAPACITY: String(FILE_SIZE * FILES_WITH_ROOM),
      // So that all fifty run concurrently.
      MAX_USER_REQUESTS: '0',
    });
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    project = await world.addProject();
    member = await world.addMember(project);
  });

  it('limits a project to 12 statuses at distinct positions with Closed last', async () => {
    const { counts } = await atOnce((index) =>
      world.admin.api.post(`/projects/${project.key}/statuses`, {
        name: `Status ${index}`,
        color: '#000000',
      }),
    );
    expect(counts).toEqual({ 201: 8, 409: 42 });
    const rows = await world.dataSource.query<{ name: string; place: number }[]>(
      'SELECT name, display_order AS place FROM issue_status WHERE project_id = ? ORDER BY display_order',
      [project.id],
    );
    expect(rows).toHaveLength(12);
    expect(new Set(rows.map(({ place }) => place)).size).toBe(12);
    expect(rows.slice(0, 3).map(({ name }) => name)).toEqual(['Open', 'In Progress', 'Resolved']);
    expect(rows.at(-1)?.name).toBe('Closed');
  });

  it('adds only one issue type of the same name', async () => {
    const { counts } = await atOnce((index) =>
      member.api.post(`/projects/${project.key}/issueTypes`, {
        name: index % 2 === 0 ? 'Crash' : ' CRASH ',
        color: '#000000',
      }),
    );
    expect(counts).toEqual({ 201: 1, 400: 49 });
  });

  it('assigns consecutive displayOrder values to new issue types', async () => {
    const { answers, counts } = await atOnce((index) =>
      member.api.post(`/projects/${project.key}/issueTypes`, { name: `Type ${index}`, color: '#000000' }),
    );
    expect(counts).toEqual({ 201: TIMES });
    const places = answers.map(({ body }) => body.displayOrder as number).sort(byNumber);
    expect(places).toEqual(Array.from({ length: TIMES }, (_, index) => places[0]! + index));
  });

  it('attaches an upload only once, to a wiki page or to an issue', async () => {
    const id = await world.addUpload(member, 'x');
    const { counts } = await atOnce<{ status: number }>((index) =>
      index % 2 === 0
        ? member.api.post(`/wikis/${project.wikiId}/attachments`, { attachmentId: [id] })
        : member.api.post(`/issues/${project.issueKey}/comments`, { content: 'x', attachmentId: [id] }),
    );
    expect((counts[200] ?? 0) + (counts[201] ?? 0)).toBe(1);
    expect(counts[400]).toBe(49);
    expect(await activitiesOf(world, project)).toHaveLength(1);
    const { issue_attachment: onIssues, wiki_attachment: onPages } = await everythingStored(world);
    expect([...onIssues!, ...onPages!]).toMatchObject([{ attachment_id: id }]);
  });

  it('notifies the same user of a comment only once', async () => {
    const reader = await world.addMember(project);
    const commentId = await world.addComment(project.issueThreadId, member);
    const path = `/issues/${project.issueKey}/comments/${commentId}/notifications`;
    const { answers, counts } = await atOnce(() => member.api.post(path, { notifiedUserId: [reader.id] }));
    expect(counts).toEqual({ 200: TIMES });
    for (const { body } of answers) {
      expect(body.notifications).toHaveLength(1);
      expect(body.changeLog).toEqual([notificationEntry(reader)]);
    }
    expect(await activitiesOf(world, project)).toHaveLength(1);
  });

  it('keeps the notifications of all fifty users of a comment', async () => {
    const readers: Person[] = [];
    for (let number = 0; number < TIMES; number++) readers.push(await world.addMember(project));
    const commentId = await world.addComment(project.issueThreadId, member);
    const path = `/issues/${project.issueKey}/comments/${commentId}/notifications`;
    const { counts } = await atOnce((index) =>
      member.api.post(path, { notifiedUserId: [readers[index]!.id, readers[(index + 1) % TIMES]!.id] }),
    );
    expect(counts).toEqual({ 200: TIMES });
    const { body } = await member.api.post(path, { notifiedUserId: [readers[0]!.id] });
    const notified = body.notifications.map((entry: { user: { id: number } }) => entry.user.id);
    expect(notified.sort(byNumber)).toEqual(readers.map(({ id }) => id));
    expect(body.changeLog).toHaveLength(TIMES);
    const told = (await activitiesOf(world, project)).flatMap(({ content }) => content.changes as object[]);
    expect(told).toHaveLength(TIMES);
  });

  it('accepts only the uploads that fit into SPACE_CAPACITY', async () => {
    const free = FILE_SIZE * FILES_WITH_ROOM - (await usedBytes(world));
    const { counts } = await atOnce(() => member.api.upload('x'.repeat(FILE_SIZE)));
    const fitting = Math.floor(free / FILE_SIZE);
    expect(counts).toEqual({ 200: fitting, 413: TIMES - fitting });
    expect(await usedBytes(world)).toBe(FILE_SIZE * FILES_WITH_ROOM - (free % FILE_SIZE));
  });

  it('accepts comments, updates and reads, with one activity for each comment', async () => {
    const commentId = await world.addComment(project.pullRequestThreadId, member);
    const list = pullRequestComments(project);
    const { counts } = await atOnce<{ status: number }>((index) => {
      if (index % 5 === 0) return member.api.get(list);
      if (index % 5 === 1) return member.api.patch(`${list}/${commentId}`, { content: `Text ${index}` });
      return member.api.post(`/issues/${project.issueKey}/comments`, {
        content: `Comment ${index}`,
        notifiedUserId: [world.admin.id],
      });
    });
    expect(counts).toEqual({ 200: 20, 201: 30 });
    const told = (await activitiesOf(world, project)).map(({ content }) => content.comment);
    const stored = await world.dataSource.query<object[]>(
      'SELECT id, content FROM comment WHERE thread_id = ? ORDER BY id',
      [project.issueThreadId],
    );
    expect(stored).toHaveLength(30);
    expect(told).toEqual(expect.arrayContaining(stored.map((row) => ({ ...row }))));
    expect(told).toHaveLength(30);
    expect((await member.api.get(list)).body[0].content).toMatch(/^Text \d+$/);
  });
});
