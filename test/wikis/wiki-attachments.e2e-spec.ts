import { activitiesOf, everythingStored } from '../support/records';
import { aTimestamp, errorShape, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, World } from '../support/world';

let world: World;
let project: ProjectFixture;
let member: Person;
let path: string;

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  project = await world.addProject();
  member = await world.addMember(project);
  path = `/wikis/${project.wikiId}/attachments`;
});

describe('POST /wikis/{wikiId}/attachments', () => {
  it('returns 200 with the newly attached files in the given order, duplicates once', async () => {
    const first = await world.addUpload(member, 'one', 'one.txt');
    const second = await world.addUpload(member, 'three', 'größe 漢字.txt');
    const { status, body } = await member.api.post(path, { attachmentId: [second, first, second] });
    expect(status).toBe(200);
    expect(body).toEqual([
      { id: second, name: 'größe 漢字.txt', size: 5 },
      { id: first, name: 'one.txt', size: 3 },
    ]);
    const next = await world.addUpload(member, 'x', 'next.txt');
    expect((await member.api.post(path, { attachmentId: [next] })).body).toEqual([
      { id: next, name: 'next.txt', size: 1 },
    ]);
  });

  it('records activity 6 with the attached files', async () => {
    const id = await world.addUpload(member, 'one', 'one.txt');
    await member.api.post(path, { attachmentId: [id] });
    expect(await activitiesOf(world, project)).toEqual([
      {
        type: 6,
        createdUserId: member.id,
        content: {
          id: project.wikiId,
          name: 'Home',
          content: 'Its content',
          diff: '',
          version: 1,
          attachments: [{ id, name: 'one.txt', size: 3 }],
          shared_files: [],
        },
      },
    ]);
  });

  it.each<[string, () => Promise<number>]>([
    ['that does not exist', () => Promise.resolve(999_999)],
    ['of another user', () => world.addUpload(world.admin)],
    [
      'that is attached to a page already',
      async () => {
        const id = await world.addUpload(member);
        await member.api.post(path, { attachmentId: [id] });
        return id;
      },
    ],
    [
      'that is attached to an issue already',
      async () => {
        const id = await world.addUpload(member);
        await member.api.post(`/issues/${project.issueKey}/comments`, { content: 'x', attachmentId: [id] });
        return id;
      },
    ],
    [
      'that is older than an hour',
      async () => {
        const id = await world.addUpload(member);
        await world.dataSource.query('UPDATE attachment SET created = ? WHERE id = ?', [
          Date.now() - 3_600_000,
          id,
        ]);
        return id;
      },
    ],
    [
      'that is incomplete',
      async () => {
        const id = await world.addUpload(member);
        await world.dataSource.query('UPDATE attachment SET `stored` = ? WHERE id = ?', [false, id]);
        return id;
      },
    ],
  ])('refuses an upload %s, and attaches none', async (_what, unusableId) => {
    const good = await world.addUpload(member);
    const bad = await unusableId();
    const before = await everythingStored(world);
    const answer = await member.api.post(path, { attachmentId: [good, bad] });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(errorShape(7, ['attachmentId']));
    expect(answer.body.errors[0].message).toMatch(new RegExp(`\\b${bad}\\b`));
    expect(await everythingStored(world)).toEqual(before);
    expect((await member.api.post(path, { attachmentId: [good] })).status).toBe(200);
  });

  it.each([
    ['a missing list', {}],
    ['an empty list', { attachmentId: [] }],
    ['a number for a list', { attachmentId: 1 }],
    ['text among the ids', { attachmentId: ['1'] }],
    ['null among the ids', { attachmentId: [null] }],
    ['a list in a list', { attachmentId: [[1]] }],
    ['more than 1,000 ids', { attachmentId: Array.from({ length: 1001 }, (_, index) => index + 1) }],
  ])('refuses %s', async (_what, body) => {
    const answer = await member.api.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(errorShape(7, ['attachmentId']));
    expect(await activitiesOf(world, project)).toEqual([]);
  });

  it.each(['999999', '0', '-1', '1.0', '9007199254740993', 'Home', '%20'])(
    'answers 404 for page %s',
    async (wikiId) => {
      const id = await world.addUpload(member);
      const answer = await member.api.post(`/wikis/${wikiId}/attachments`, { attachmentId: [id] });
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(errorShape(6));
    },
  );
});

describe('/wikis/{wikiId}/attachments', () => {
  const attach = async (content: string, name: string): Promise<number> => {
    const id = await world.addUpload(member, content, name);
    await member.api.post(path, { attachmentId: [id] });
    return id;
  };

  it('lists attachments with their uploaders, oldest first', async () => {
    const ids = [await attach('one', 'größe 漢字.txt'), await attach('three', 'three.txt')];
    const { status, body } = await member.api.get(path);
    const of = { createdUser: userShape(member), created: aTimestamp };
    expect(status).toBe(200);
    expect(body).toEqual([
      { id: ids[0], name: 'größe 漢字.txt', size: 3, ...of },
      { id: ids[1], name: 'three.txt', size: 5, ...of },
    ]);
    expect((await member.api.get(`/wikis/${project.wikiId}`)).body.attachments).toEqual(body);
  });

  it('returns the uploaded bytes and file name', async () => {
    const id = await attach('one', 'größe.txt');
    const { status, bytes, headers } = await member.api.download(`${path}/${id}`);
    expect(status).toBe(200);
    expect(bytes.toString()).toBe('one');
    expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''gr%C3%B6%C3%9Fe.txt");
  });

  it('deletes an attachment without a new version or activity', async () => {
    const [id, other] = [await attach('one', 'one.txt'), await attach('two', 'two.txt')];
    const { body: before } = await member.api.get(`/wikis/${project.wikiId}`);
    const told = await activitiesOf(world, project);
    const { status, body } = await member.api.delete(`${path}/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual(before.attachments[0]);
    const { body: after } = await member.api.get(`/wikis/${project.wikiId}`);
    expect(after).toEqual({ ...before, attachments: [before.attachments[1]] });
    expect(after.attachments[0].id).toBe(other);
    expect(await activitiesOf(world, project)).toEqual(told);
    for (const gone of [await member.api.get(`${path}/${id}`), await member.api.delete(`${path}/${id}`)]) {
      expect(gone.status).toBe(404);
      expect(gone.body).toEqual(errorShape(6));
    }
    const again = await member.api.post(path, { attachmentId: [id] });
    expect(again.status).toBe(400);
  });

  it('deletes an attachment once when several requests do at the same time', async () => {
    const id = await attach('one', 'one.txt');
    const answers = await Promise.all([1, 2, 3].map(() => member.api.delete(`${path}/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  });
});
