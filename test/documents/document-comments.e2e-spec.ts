import { setImmediate } from 'node:timers/promises';
import { RoleType } from '../../src/access/role-type';
import { DocumentCommentsService } from '../../src/documents/comments/document-comments.service';
import { DocumentCommentRepository } from '../../src/documents/data/document-comment.repository';
import { DocumentsService } from '../../src/documents/documents.service';
import { newUid } from '../../src/documents/uid';
import { UserTurns } from '../../src/event-loop/user-turns';
import { activitiesOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import { aTimestamp, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

interface Comment {
  id: string;
  replies: { id: string; plain: string }[];
}

describe('/documents/{documentId}/comments', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;
  let document: { id: number; uid: string; threadId: number };
  let path: string;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    member = await world.addMember(project);
    document = await world.write((manager) =>
      world.service(DocumentsService).add(manager, {
        projectId: project.id,
        title: 'Home',
        emoji: null,
        text: { json: '{}', plain: '' },
        createdUserId: world.admin.id,
      }),
    );
    path = `/documents/${document.uid}/comments`;
  });

  const post = async (person: Person, content: string, fields: object = {}): Promise<Comment> => {
    const { status, body } = await person.api.post<Comment>(path, { content, ...fields });
    expect(status).toBe(201);
    return body;
  };

  const notificationsOf = async ({ api }: Person): Promise<Record<string, unknown>[]> =>
    (await api.get<Record<string, unknown>[]>('/notifications')).body;

  it('returns every field and no other, and lists comments with replies oldest first', async () => {
    const { admin } = tested.world;
    const first = await post(member, 'Why **not**?');
    const shape = {
      id: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
      documentId: document.uid,
      content: JSON.stringify({
        type: 'doc',
        content: [
          {
            type: 'paragraph',
            content: [
              { type: 'text', text: 'Why ' },
              { type: 'text', marks: [{ type: 'bold' }], text: 'not' },
              { type: 'text', text: '?' },
            ],
          },
        ],
      }),
      plain: 'Why not?',
      createdUserId: member.id,
      created: aTimestamp,
      updatedUserId: member.id,
      updated: aTimestamp,
      createdUser: userShape(member),
    };
    expect(first).toEqual({ ...shape, statusId: 0, commentType: 'comment', replies: [] });
    const second = await post(admin, 'Second');
    const answered = await post(admin, 'Why **not**?', { commentId: first.id });
    const reply = {
      ...shape,
      commentId: first.id,
      createdUserId: admin.id,
      updatedUserId: admin.id,
      createdUser: userShape(admin),
    };
    expect(answered).toEqual({ ...first, replies: [reply] });
    const { body } = await member.api.get(path);
    expect(body).toEqual([answered, second]);
    const [replyId] = answered.replies.map(({ id }) => id);
    expect((await activitiesOf(tested.world, project)).map(({ type, content }) => [type, content])).toEqual([
      [40, { id: document.uid, title: 'Home', comment: { id: first.id, content: 'Why not?' } }],
      [40, { id: document.uid, title: 'Home', comment: { id: second.id, content: 'Second' } }],
      [43, { id: document.uid, title: 'Home', comment: { id: replyId, content: 'Why not?' } }],
    ]);
  });

  it('notifies named and mentioned users, and the author of an answered comment', async () => {
    const { world } = tested;
    const [named, mentioned] = [await world.addMember(project), await world.addMember(project)];
    const viewer = await world.addMember(project, RoleType.Viewer);
    // The address of a link mentions nobody.
    await post(member, `[x](<@U${mentioned.id}>)`);
    const content = `See <@U${mentioned.id}> <@U${viewer.id}>`;
    const { id } = await post(member, content, { notifiedUserId: [named.id] });
    for (const person of [named, mentioned]) {
      expect(await notificationsOf(person)).toMatchObject([
        {
          reason: 14,
          document: { id: document.uid },
          documentComment: { id, plain: content, replies: [] },
          documentCommentReply: null,
          comment: null,
        },
      ]);
    }
    expect(await notificationsOf(viewer)).toEqual([]);
    const { replies } = await post(named, 'Because.', { commentId: id });
    expect(await notificationsOf(member)).toMatchObject([
      {
        reason: 15,
        documentComment: null,
        documentCommentReply: { id: replies[0]?.id, commentId: id, plain: 'Because.' },
      },
    ]);
    expect(await notificationsOf(named)).toHaveLength(1);
  });

  it('hides comments, their activities and notifications from Viewers', async () => {
    const { world } = tested;
    const other = await world.addMember(project);
    await post(member, 'One', { notifiedUserId: [other.id] });
    const viewer = await world.addMember(project, RoleType.Viewer);
    expect((await viewer.api.get(path)).status).toBe(403);
    expect((await viewer.api.get(`/projects/${project.key}/activities`)).body).toEqual([]);
    await world.admin.api.patch(`/users/${other.id}`, { roleType: RoleType.Viewer });
    expect(await notificationsOf(other)).toEqual([]);
  });

  it('permits only authors to change comments, and to delete those without replies', async () => {
    const { admin } = tested.world;
    const { id } = await post(member, 'One');
    const [reply] = (await post(admin, 'Two', { commentId: id })).replies;
    expect((await admin.api.patch(`${path}/${id}`, { content: 'x' })).status).toBe(403);
    const { body } = await member.api.patch(`${path}/${id}`, { content: 'Other' });
    expect(body).toMatchObject({ id, plain: 'Other', replies: [{ plain: 'Two' }] });
    const changed = await admin.api.patch(`${path}/${reply?.id}`, { content: 'Three' });
    expect(changed.body).toMatchObject({ id, replies: [{ id: reply?.id, plain: 'Three' }] });
    await expectRefused(tested.world, () => member.api.delete(`${path}/${id}`), ['documentCommentId']);
    expect((await member.api.delete(`${path}/${reply?.id}`)).status).toBe(403);
    expect((await admin.api.delete(`${path}/${reply?.id}`)).body).toEqual(changed.body);
    expect((await member.api.delete(`${path}/${id}`)).body).toMatchObject({ id, replies: [] });
    expect((await member.api.get(path)).body).toEqual([]);
    const types = (await activitiesOf(tested.world, project)).map(({ type }) => type);
    expect(types).toEqual([40, 43, 41, 44, 45, 42]);
  });

  it.each([
    [{ content: undefined }, ['content']],
    [{ content: ' \n' }, ['content']],
    [{ content: 'a'.repeat(10_001) }, ['content']],
    [{ content: '*a* '.repeat(2500) }, ['content']],
    [{ commentId: newUid() }, ['commentId']],
    [{ commentId: 'x' }, ['commentId']],
    [{ notifiedUserId: [999_999] }, ['notifiedUserId']],
  ])('refuses invalid fields $1 (case %#)', async (fields, named) => {
    const body = { content: 'Text', ...fields };
    await expectRefused(tested.world, () => member.api.post(path, body), named);
  });

  it('refuses a reply to a reply or to a comment on another document', async () => {
    const { id } = await post(member, 'One');
    const [reply] = (await post(member, 'Two', { commentId: id })).replies;
    await expectRefused(tested.world, () => member.api.post(path, { content: 'x', commentId: reply?.id }), [
      'commentId',
    ]);
    const { body: other } = await member.api.post('/documents', { projectId: project.id });
    const elsewhere = `/documents/${other.id}/comments`;
    await expectRefused(tested.world, () => member.api.post(elsewhere, { content: 'x', commentId: id }), [
      'commentId',
    ]);
    expect((await member.api.patch(`${elsewhere}/${id}`, { content: 'x' })).status).toBe(404);
  });

  it('returns 409 above 500 comments, and refuses stars on them', async () => {
    const { world } = tested;
    const { id: projectId } = project;
    const uid = newUid();
    await world
      .service(DocumentCommentsService)
      .write({ projectId, threadId: document.threadId, uid }, member, 'One');
    const [row] = await world.dataSource.query<[{ id: number }]>(
      'SELECT comment_id AS id FROM document_comment WHERE uid = ?',
      [uid],
    );
    for (let count = 1; count < 499; count++) await world.addComment(document.threadId, member);
    const answers = await Promise.all([1, 2, 3].map(() => member.api.post(path, { content: 'x' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect((await member.api.post('/stars', { commentId: row.id })).status).toBe(400);
  });

  describe('with many long replies', () => {
    const REPLIES = 64;
    const LONG = 'a'.repeat(10_000);
    let id: string;
    let replyId: string;
    let rows: DocumentCommentRepository;

    beforeEach(async () => {
      const { world } = tested;
      rows = world.service(DocumentCommentRepository);
      ({ id } = await post(member, 'One'));
      const { commentId: parentId } = (await rows.findKeys(document.threadId, id)) ?? {};
      for (let index = 0; index < REPLIES; index++) {
        const commentId = await world.addComment(document.threadId, member, LONG);
        replyId = newUid();
        const row = { commentId, uid: replyId, parentId: parentId as number, json: LONG };
        await world.write((manager) => rows.insert(manager, row));
      }
    });
    afterEach(() => vi.restoreAllMocks());

    const until = async (condition: () => boolean): Promise<void> => {
      while (!condition()) await setImmediate();
    };

    /** Holds the first read of comments, and counts all. */
    function holdFirstRead(): { release: () => void; reads: () => number; turns: () => number } {
      const find = rows.findByIds.bind(rows);
      let release!: () => void;
      const released = new Promise<void>((resolve) => (release = resolve));
      let count = 0;
      vi.spyOn(rows, 'findByIds').mockImplementation(async (...parameters) => {
        if (count++ === 0) await released;
        return find(...parameters);
      });
      const run = vi.spyOn(UserTurns.prototype, 'run');
      return { release, reads: () => count, turns: () => run.mock.calls.length };
    }

    it.each([
      ['GET', 65, () => member.api.get<Comment[]>(path)],
      ['POST', 66, () => member.api.post<Comment>(path, { content: 'x', commentId: id })],
      ['PATCH', 65, () => member.api.patch<Comment>(`${path}/${replyId}`, { content: 'x' })],
      ['DELETE', 65, () => member.api.delete<Comment>(`${path}/${replyId}`)],
    ])('reads at most 30 of them in one statement for %s', async (_method, total, send) => {
      const find = vi.spyOn(rows, 'findByIds');
      const { status, body } = await send();
      expect(status).toBeLessThan(300);
      const [comment] = [body].flat();
      expect(comment?.replies).toHaveLength(total - 1);
      expect(comment?.replies[0]?.plain).toBe(LONG);
      const found = await Promise.all(find.mock.results.map(({ value }) => value as Promise<unknown[]>));
      expect(found.map(({ length }) => length)).toEqual([30, 30, total - 60]);
    });

    it('reads their lists one at a time', async () => {
      const { release, reads, turns } = holdFirstRead();
      const first = member.api.get(path);
      await until(() => reads() === 1);
      const second = member.api.get(path);
      await until(() => turns() === 2);
      for (let times = 0; times < 5; times++) await setImmediate();
      expect(reads()).toBe(1);
      release();
      expect((await first).status).toBe(200);
      expect((await second).status).toBe(200);
      expect(reads()).toBe(6);
    });

    it('refuses a reply of a user who has ten requests waiting before it is written', async () => {
      const { release, reads, turns } = holdFirstRead();
      const first = member.api.get(path);
      await until(() => reads() === 1);
      const waiting = Array.from({ length: 10 }, () => member.api.get(path));
      await until(() => turns() === 11);
      const refused = await member.api.post(path, { content: 'x', commentId: id });
      expect(refused.status).toBe(429);
      release();
      for (const { status } of await Promise.all([first, ...waiting])) expect(status).toBe(200);
      expect(await rows.findIds(document.threadId)).toHaveLength(REPLIES + 1);
    });
  });
});
