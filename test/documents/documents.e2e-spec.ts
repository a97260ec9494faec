import { newUid } from '../../src/documents/uid';
import { MAX_DEPTH, TRASH_MS } from '../../src/documents/tree/document-tree.service';
import { TrashRemovalService } from '../../src/documents/trash-removal.service';
import { RoleType } from '../../src/access/role-type';
import { activitiesOf, everythingStored } from '../support/records';
import { expectRefused } from '../support/refusals';
import { aTimestamp, anId, errorShape, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

interface Document {
  id: string;
  title: string;
  json: string;
  updated: string;
  statusId: number;
  childDocumentIds: string[];
  tags: { id: number; name: string }[];
  attachments: { id: number }[];
}

interface Node {
  id: string;
  name: string;
  children: Node[];
}

const UID = /^[0-9a-f]{32}$/;
/** The tables with rows that belong to documents only. */
const THEIRS = ['document', 'document_tag', 'document_tagging', 'document_attachment', 'document_comment'];

const paragraph = (text: string): string =>
  JSON.stringify({ type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text }] }] });

/** Returns `Name(children)` of each node, in order. */
const outline = (nodes: readonly Node[]): string =>
  nodes
    .map(({ name, children }) => (children.length === 0 ? name : `${name}(${outline(children)})`))
    .join(' ');

describe('the documents API', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;

  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
  });

  const add = async (title: string, fields: object = {}): Promise<Document> => {
    const { status, body } = await member.api.post<Document>('/documents', {
      projectId: project.id,
      title,
      addLast: true,
      ...fields,
    });
    expect(status).toBe(201);
    return body;
  };

  const below = (title: string, parent: { id: string }): Promise<Document> =>
    add(title, { parentId: parent.id });

  const tree = async (): Promise<{ active: string; trash: string }> => {
    const { body } = await member.api.get(`/documents/tree?projectIdOrKey=${project.key}`);
    return { active: outline(body.activeTree.children), trash: outline(body.trashTree.children) };
  };

  const trash = async ({ id }: { id: string }): Promise<void> => {
    expect((await tested.world.admin.api.delete(`/documents/${id}`)).status).toBe(200);
  };

  const activities = async (): Promise<unknown[]> =>
    (await activitiesOf(tested.world, project)).map(({ type, content }) => [type, content]);

  describe('POST /documents', () => {
    it('returns 201 with every field and no other, and a Location header', async () => {
      const { status, body, headers } = await member.api.post('/documents', {
        projectId: project.id,
        title: ' Größe 😀 ',
        content: 'Hello',
        emoji: '🚀',
      });
      expect(status).toBe(201);
      expect(body).toEqual({
        id: expect.stringMatching(UID) as unknown,
        projectId: project.id,
        title: 'Größe 😀',
        plain: 'Hello',
        json: paragraph('Hello'),
        statusId: 1,
        emoji: '🚀',
        attachments: [],
        tags: [],
        createdUser: userShape(member),
        created: aTimestamp,
        updatedUser: userShape(member),
        updated: aTimestamp,
        childDocumentIds: [],
      });
      expect(headers.get('location')).toMatch(new RegExp(`/document/${project.key}/${body.id}$`));
      expect((await member.api.get(`/documents/${body.id.toUpperCase()}`)).body).toEqual(body);
      expect(await activities()).toEqual([[36, { id: body.id, title: 'Größe 😀' }]]);
    });

    it('accepts a form with only a project', async () => {
      const form = new URLSearchParams({ projectId: String(project.id), parentId: '' });
      const { status, body } = await member.api.send('POST', '/documents', form);
      expect(status).toBe(201);
      expect(body).toMatchObject({ title: '', plain: '', emoji: null });
    });

    it('adds a document first or last among those with the same parent', async () => {
      const parent = await add('parent');
      await below('b', parent);
      await add('a', { parentId: parent.id, addLast: false });
      const last = await below('c', parent);
      await add('first', { addLast: false });
      expect(await tree()).toEqual({ active: 'first parent(a b c)', trash: '' });
      const { body } = await member.api.get<Document>(`/documents/${parent.id}`);
      expect(body.childDocumentIds).toHaveLength(3);
      expect(body.childDocumentIds.at(-1)).toBe(last.id);
    });

    it('notifies each mentioned user once, also after an update', async () => {
      const [one, two] = [await tested.world.addMember(project), await tested.world.addMember(project)];
      const { id } = await add('Guide', { content: `Ask <@U${one.id}> and <@U${member.id}>.` });
      const content = `Ask <@U${one.id}> and <@U${two.id}>!`;
      expect((await member.api.patch(`/documents/${id}`, { content })).status).toBe(200);
      for (const person of [one, two]) {
        const { body } = await person.api.get('/notifications');
        expect(body).toMatchObject([
          {
            reason: 17,
            document: { id, plain: content },
            documentComment: null,
            documentCommentReply: null,
            issue: null,
            comment: null,
            sender: { id: member.id },
          },
        ]);
      }
      expect((await member.api.get('/notifications')).body).toEqual([]);
    });

    it('takes mentions from the text without formatting, before and after an update', async () => {
      const one = await tested.world.addMember(project);
      const mention = `<@U${one.id}>`;
      const notified = async (): Promise<number> =>
        (await one.api.get<object[]>('/notifications')).body.length;
      // The address of a link does not belong to the text.
      const { id } = await add('Guide', { content: `[x](${mention})` });
      expect(await notified()).toBe(0);
      for (const content of [`[y](${mention})`, `[z](${mention})`]) {
        expect((await member.api.patch(`/documents/${id}`, { content })).status).toBe(200);
        expect(await notified()).toBe(0);
      }
      for (const content of [`\\<@U${one.id}\\>`, mention]) {
        expect((await member.api.patch(`/documents/${id}`, { content })).status).toBe(200);
        expect(await notified()).toBe(1);
      }
    });

    it.each(['team', 'project'])(
      'notifies the members of a mentioned %s once, also after updates',
      async (group) => {
        const { world } = tested;
        const one = await world.addMember(project);
        const team = await world.addTeam([one], project);
        const mention = group === 'team' ? `<@T${team.id}>` : '<@project>';
        const { id } = await add('Guide', { content: `${mention}.` });
        for (const content of [`${mention}!`, `<@U${one.id}>`, `<@U${one.id}> ${mention}`]) {
          expect((await member.api.patch(`/documents/${id}`, { content })).status).toBe(200);
        }
        expect((await one.api.get('/notifications')).body).toHaveLength(1);
      },
    );

    it.each([
      [{ projectId: undefined }, ['projectId']],
      [{ projectId: 999_999 }, ['projectId']],
      [{ title: 'a'.repeat(256) }, ['title']],
      [{ content: 'a'.repeat(100_001) }, ['content']],
      [{ content: '- a\n'.repeat(25_000) }, ['content']],
      [{ emoji: 'a'.repeat(33) }, ['emoji']],
      [{ parentId: 'x' }, ['parentId']],
      [{ parentId: newUid() }, ['parentId']],
      [{ addLast: 'maybe' }, ['addLast']],
    ])('refuses invalid fields $1 (case %#)', async (fields, named) => {
      const { world } = tested;
      const body = { projectId: project.id, title: 'A', ...fields };
      await expectRefused(world, () => member.api.post('/documents', body), named);
    });

    it('refuses a parent in another project or at the maximum depth', async () => {
      const { world } = tested;
      const other = await world.addProject();
      await world.join(other, member);
      const foreign = await add('other', { projectId: other.id });
      const body = { projectId: project.id, parentId: foreign.id };
      await expectRefused(world, () => member.api.post('/documents', body), ['parentId']);
      let deepest = await add('1');
      for (let depth = 2; depth <= MAX_DEPTH; depth++) deepest = await below(String(depth), deepest);
      const tooDeep = { projectId: project.id, parentId: deepest.id };
      await expectRefused(world, () => member.api.post('/documents', tooDeep), ['parentId']);
    });
  });

  describe('PATCH /documents/{documentId}', () => {
    it('records activity 38 for a title, 39 otherwise, and none without a change', async () => {
      const { id } = await add('Old', { content: 'Text' });
      const path = `/documents/${id}`;
      const { body: renamed } = await member.api.patch(path, { title: 'New' });
      expect(renamed).toMatchObject({ title: 'New', plain: 'Text' });
      expect((await member.api.patch(path, { title: 'New', content: 'Text' })).status).toBe(200);
      const { body } = await member.api.patch(path, { content: 'Other', emoji: '🎉' });
      expect(body).toMatchObject({ title: 'New', plain: 'Other', json: paragraph('Other'), emoji: '🎉' });
      expect((await member.api.patch(path, { emoji: null })).body).toMatchObject({ emoji: null });
      expect(await activities()).toEqual([
        [36, { id, title: 'Old' }],
        [38, { id, title: 'New' }],
        [39, { id, title: 'New' }],
        [39, { id, title: 'New' }],
      ]);
    });

    it('moves a document with its descendants', async () => {
      const [a, b] = [await add('a'), await add('b')];
      const c = await below('c', b);
      await below('d', c);
      const move = (document: Document, fields: object): Promise<unknown> =>
        member.api.patch(`/documents/${document.id}`, fields);
      expect(await move(b, { parentId: a.id })).toMatchObject({ status: 200 });
      expect((await tree()).active).toBe('a(b(c(d)))');
      await move(c, { parentId: null });
      expect((await tree()).active).toBe('c(d) a(b)');
      await move(c, { parentId: null, addLast: true });
      expect((await tree()).active).toBe('a(b) c(d)');
    });

    it('refuses a move below itself, too deep, or without parentId', async () => {
      const { world } = tested;
      const a = await add('a');
      const b = await below('b', a);
      const path = `/documents/${a.id}`;
      for (const parentId of [a.id, b.id]) {
        await expectRefused(world, () => member.api.patch(path, { parentId }), ['parentId']);
      }
      await expectRefused(world, () => member.api.patch(path, { addLast: true }), ['addLast']);
      await expectRefused(world, () => member.api.patch(path, { projectId: 1 }), ['projectId']);
      let deepest = await add('1');
      for (let depth = 2; depth < MAX_DEPTH; depth++) deepest = await below(String(depth), deepest);
      await expectRefused(world, () => member.api.patch(path, { parentId: deepest.id }), ['parentId']);
      const { body } = await member.api.patch(`/documents/${b.id}`, { parentId: deepest.id });
      expect(body).toMatchObject({ title: 'b' });
    });

    it('refuses one of two simultaneous moves below each other', async () => {
      const [a, b] = [await add('a'), await add('b')];
      const answers = await Promise.all([
        member.api.patch(`/documents/${a.id}`, { parentId: b.id }),
        tested.world.admin.api.patch(`/documents/${b.id}`, { parentId: a.id }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      expect(['a(b)', 'b(a)']).toContain((await tree()).active);
    });

    it('moves and deletes documents that a manipulated backup has put below each other', async () => {
      const [a, b, c] = [await add('a'), await add('b'), await add('c')];
      const putBelow = (child: Document, parent: Document): Promise<unknown> =>
        tested.world.dataSource.query(
          `UPDATE document SET parent_id = (SELECT id FROM (SELECT id, uid FROM document) other WHERE uid = ?)
            WHERE uid = ?`,
          [parent.id, child.id],
        );
      await putBelow(a, b);
      await putBelow(b, a);
      const move = ({ id }: Document, parentId: string | null): Promise<{ status: number }> =>
        member.api.patch(`/documents/${id}`, { parentId });
      expect((await move(c, b.id)).status).toBe(200);
      await trash(b);
      expect(await tree()).toEqual({ active: '', trash: '' });
      expect((await move(a, null)).status).toBe(200);
      expect(await tree()).toEqual({ active: 'a(b(c))', trash: '' });
    });
  });

  describe('DELETE /documents/{documentId}', () => {
    it('moves a document and its descendants to the trash, where they are read-only', async () => {
      const [a, b] = [await add('a'), await add('b')];
      const c = await below('c', b);
      const { body } = await tested.world.admin.api.delete(`/documents/${b.id}`);
      expect(body).toMatchObject({ id: b.id, title: 'b', statusId: 1, childDocumentIds: [c.id] });
      expect(await tree()).toEqual({ active: 'a', trash: 'b(c)' });
      expect((await member.api.get(`/documents/${c.id}`)).body).toMatchObject({ id: c.id, statusId: 2 });
      const { body: count } = await member.api.get(`/documents/count?projectIdOrKey=${project.key}`);
      expect(count).toEqual({ count: 1 });
      const { body: listed } = await member.api.get<Document[]>(`/documents?projectId[]=${project.id}`);
      expect(listed.map(({ id }) => id)).toEqual([a.id]);
      expect((await activities()).at(-1)).toEqual([37, { id: b.id, title: 'b' }]);
      const refusals = [
        await member.api.patch(`/documents/${c.id}`, { title: 'x' }),
        await member.api.post(`/documents/${c.id}/tags`, { tagNames: ['x'] }),
        await member.api.post(`/documents/${c.id}/comments`, { content: 'x' }),
        await member.api.post(`/documents/${c.id}/attachments`, {
          attachmentId: [await tested.world.addUpload(member)],
        }),
      ];
      expect(refusals.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      await expectRefused(tested.world, () => member.api.patch(`/documents/${a.id}`, { parentId: b.id }), [
        'parentId',
      ]);
    });

    it('lets PATCH restore a document with the descendants deleted with it', async () => {
      const a = await add('a');
      const b = await below('b', a);
      const c = await below('c', b);
      await below('d', c);
      await trash(c);
      await tested.world.dataSource.query(
        'UPDATE document SET removal_due = removal_due - 1 WHERE status_id = 2',
      );
      await trash(a);
      expect(await tree()).toEqual({ active: '', trash: 'a(b(c(d)))' });
      const { body } = await member.api.patch(`/documents/${a.id}`, { parentId: null });
      expect(body).toMatchObject({ statusId: 1, childDocumentIds: [b.id] });
      expect(await tree()).toEqual({ active: 'a(b)', trash: 'c(d)' });
    });

    it('removes a document in the trash with all its rows', async () => {
      const { world } = tested;
      await world.whenIdle();
      const before = await everythingStored(world);
      const a = await add('a');
      const b = await below('b', a);
      await member.api.post(`/documents/${b.id}/tags`, { tagNames: ['x', 'y'] });
      await member.api.post(`/documents/${b.id}/attachments`, {
        attachmentId: [await world.addUpload(member)],
      });
      const { body } = await member.api.post(`/documents/${b.id}/comments`, { content: 'One' });
      await member.api.post(`/documents/${b.id}/comments`, { content: 'Two', commentId: body.id });
      await trash(a);
      await trash(a);
      for (const { id } of [a, b]) expect((await member.api.get(`/documents/${id}`)).status).toBe(404);
      const after = await everythingStored(world);
      for (const table of [...THEIRS, 'comment', 'comment_thread']) {
        expect({ [table]: after[table] }).toEqual({ [table]: before[table] });
      }
      const [counter] = await world.dataSource.query<[{ used: number }]>(
        "SELECT used FROM project_counter WHERE project_id = ? AND name = 'document'",
        [project.id],
      );
      expect(counter.used).toBe(0);
    });

    it('keeps a document in the trash until its time is over', async () => {
      const { world } = tested;
      const [old, young] = [await add('old'), await add('young')];
      await trash(old);
      await trash(young);
      await world.dataSource.query('UPDATE document SET removal_due = removal_due - ? WHERE uid = ?', [
        TRASH_MS,
        old.id,
      ]);
      world.service(TrashRemovalService).start();
      await world.whenIdle();
      expect((await tree()).trash).toBe('young');
    });

    it('includes or refuses a document that is added below at the same time', async () => {
      const parent = await add('parent');
      const [added] = await Promise.all([
        member.api.post('/documents', { projectId: project.id, parentId: parent.id, title: 'child' }),
        trash(parent),
      ]);
      expect([201, 400]).toContain(added.status);
      expect(await tree()).toEqual({
        active: '',
        trash: added.status === 201 ? 'parent(child)' : 'parent',
      });
    });

    it('permits project administrators, and returns 403 to other members', async () => {
      const document = await add('a');
      const { world } = tested;
      const administrator = await world.addMember(project, RoleType.Viewer, true);
      expect((await member.api.delete(`/documents/${document.id}`)).status).toBe(403);
      expect((await administrator.api.delete(`/documents/${document.id}`)).status).toBe(200);
    });
  });

  describe('GET /documents', () => {
    it('sorts and pages the documents of all projects of the caller', async () => {
      const { world } = tested;
      const other = await world.addProject();
      await world.join(other, member);
      const [a, b, c] = [await add('a'), await add('b'), await add('c', { projectId: other.id })];
      await world.addMember(other).then(({ api }) => api.post('/documents', { projectId: other.id }));
      for (const [index, { id }] of [a, b, c].entries()) {
        await world.dataSource.query('UPDATE document SET created = ?, updated = ? WHERE uid = ?', [
          1000 * index,
          -1000 * index,
          id,
        ]);
      }
      const ids = async (query: string): Promise<string> => {
        const { body } = await member.api.get<Document[]>(`/documents?${query}`);
        return body.map(({ title }) => title).join();
      };
      expect(await ids('offset=0')).toBe(',a,b,c');
      expect(await ids('offset=1&count=2')).toBe('a,b');
      expect(await ids(`projectId[]=${project.id}&sort=created&order=asc`)).toBe('a,b');
      expect(await ids(`projectId[]=${project.id}&projectId[]=${other.id}&sort=updated`)).toBe(',a,b,c');
      expect(await ids('projectId[]=999999')).toBe('');
      const { body: ofSpace } = await world.admin.api.get<Document[]>('/documents?sort=created&order=asc');
      const added = [a, b, c].map(({ id }) => id);
      expect(ofSpace.map(({ id }) => id).filter((id) => added.includes(id))).toEqual(added);
      const { headers } = await member.api.get('/documents?count=2&sort=updated');
      expect(headers.get('link')).toContain('offset=2');
      const stranger = await world.addUser();
      expect((await stranger.api.get('/documents')).body).toEqual([]);
      await member.api.get('/documents?sort=title').then(({ status, body }) => {
        expect([status, body]).toEqual([400, errorShape(7, ['sort'])]);
      });
    });

    it.each(['created', 'updated'])('merges the documents of many projects by %s', async (sort) => {
      const { world } = tested;
      for (let number = 0; number < 6; number++) {
        const place = await world.addProject();
        await world.join(place, member);
        for (const title of ['kept', 'kept', 'kept', 'trashed']) {
          const document = await add(title, { projectId: place.id });
          if (title === 'trashed') await trash(document);
        }
      }
      // Several documents have the same time, so that ids decide.
      await world.dataSource.query(
        'UPDATE document SET created = id * 7919 % 5, updated = id * 104729 % 5 WHERE created_user_id = ?',
        [member.id],
      );
      for (const order of ['asc', 'desc']) {
        const rows = await world.dataSource.query<{ uid: string }[]>(
          `SELECT d.uid AS uid FROM document d JOIN project_member m ON m.project_id = d.project_id
            WHERE m.user_id = ? AND d.title <> 'trashed' ORDER BY d.${sort} ${order}, d.id ${order}`,
          [member.id],
        );
        const expected = rows.map(({ uid }) => uid);
        expect(expected).toHaveLength(18);
        for (const [offset, count] of [
          [0, 5],
          [7, 5],
          [15, 20],
          [0, 100],
          [5000, 20],
        ] as const) {
          const query = `/documents?sort=${sort}&order=${order}&offset=${offset}&count=${count}`;
          const { body } = await member.api.get<Document[]>(query);
          expect([query, body.map(({ id }) => id)]).toEqual([query, expected.slice(offset, offset + count)]);
        }
      }
    });

    it('finds documents by keyword in title and text, ignoring case', async () => {
      await add('Über', { content: 'nothing' });
      await add('b', { content: '**Gr**öße' });
      await add('c', { content: 'type' });
      const found = async (keyword: string): Promise<string[]> => {
        const query = `projectId[]=${project.id}&sort=created&order=asc&keyword=${encodeURIComponent(keyword)}`;
        const { body } = await member.api.get<Document[]>(`/documents?${query}`);
        return body.map(({ title }) => title);
      };
      expect(await found('über')).toEqual(['Über']);
      expect(await found('GRÖSSE')).toEqual([]);
      expect(await found('GRÖße')).toEqual(['b']);
      // The names of the nodes are not searched.
      expect(await found('paragraph')).toEqual([]);
      expect(await found('%')).toEqual([]);
    });

    it('returns all documents when they are long', async () => {
      const content = `${'**a** '.repeat(4000)}${'b'.repeat(70_000)}`;
      for (let count = 0; count < 6; count++) await add(String(count), { content });
      const query = `/documents?projectId[]=${project.id}&sort=created&order=asc`;
      const { body } = await member.api.get<Document[]>(query);
      expect(body.map(({ title }) => title)).toEqual(['0', '1', '2', '3', '4', '5']);
      expect(body.every(({ json }) => json.length > 300_000)).toBe(true);
    });
  });

  describe('/documents/{documentId}/tags', () => {
    it('adds and removes tags, and shares them between documents', async () => {
      const { world } = tested;
      const [a, b] = [await add('a'), await add('b')];
      const tags = (document: Document): string => `/documents/${document.id}/tags`;
      const { body: first } = await member.api.post(tags(a), { tagNames: ['x', ' y ', 'x'] });
      expect(first).toEqual([
        { id: anId, name: 'x' },
        { id: anId, name: 'y' },
      ]);
      const { body: second } = await member.api.post<Document['tags']>(tags(b), { tagNames: ['y', 'z'] });
      expect(second[0]).toEqual((first as Document['tags'])[1]);
      expect((await member.api.post(tags(a), { tagNames: ['y'] })).body).toEqual(first);
      const { body: rest } = await member.api.delete(tags(a), { tagNames: ['y', 'none'] });
      expect(rest).toEqual([{ id: anId, name: 'x' }]);
      expect((await member.api.delete(`${tags(b)}?tagNames[]=z`)).body).toEqual([second[0]]);
      const rows = await world.dataSource.query<{ name: string }[]>(
        'SELECT name FROM document_tag WHERE project_id = ? ORDER BY name',
        [project.id],
      );
      expect(rows.map(({ name }) => name)).toEqual(['x', 'y']);
      const { body } = await member.api.get<Document>(`/documents/${a.id}`);
      expect(body.tags).toEqual([{ id: anId, name: 'x' }]);
    });

    it('creates each tag once in simultaneous requests', async () => {
      const [a, b] = [await add('a'), await add('b')];
      const answers = await Promise.all(
        [a, b, a, b].map(({ id }) => member.api.post(`/documents/${id}/tags`, { tagNames: ['x', 'y'] })),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    });

    it('returns 409 above 50 tags, and refuses invalid names', async () => {
      const { id } = await add('a');
      const path = `/documents/${id}/tags`;
      const names = (from: number, count: number): string[] =>
        Array.from({ length: count }, (_, index) => `tag ${from + index}`);
      expect((await member.api.post(path, { tagNames: names(0, 50) })).status).toBe(200);
      const overflow = await member.api.post(path, { tagNames: ['more'] });
      expect([overflow.status, overflow.body]).toEqual([
        409,
        { errors: [{ code: 9, message: 'A document can have at most 50 tags.', moreInfo: '' }] },
      ]);
      for (const tagNames of [undefined, [], [''], [' '], ['a'.repeat(101)], ['\0'], names(0, 101), [{}]]) {
        await expectRefused(tested.world, () => member.api.post(path, { tagNames }), ['tagNames']);
      }
    });
  });

  describe('/documents/{documentId}/attachments', () => {
    it('attaches, returns and deletes files', async () => {
      const { world } = tested;
      const { id } = await add('a');
      const path = `/documents/${id}/attachments`;
      const uploaded = await world.addUpload(member, 'bytes', 'a.txt');
      const { status, body } = await member.api.post(path, { attachmentId: [uploaded] });
      expect([status, body]).toEqual([200, [{ id: uploaded, name: 'a.txt', size: 5 }]]);
      expect((await activities()).at(-1)).toEqual([46, { id, title: 'a', attachments: body }]);
      const viewer = await world.addMember(project, RoleType.Viewer);
      const file = await viewer.api.download(`${path}/${uploaded}`);
      expect([file.status, file.bytes.toString()]).toEqual([200, 'bytes']);
      const { body: document } = await member.api.get<Document>(`/documents/${id}`);
      expect(document.attachments).toEqual([
        { id: uploaded, name: 'a.txt', size: 5, createdUser: userShape(member), created: aTimestamp },
      ]);
      await expectRefused(world, () => member.api.post(path, { attachmentId: [uploaded] }), ['attachmentId']);
      expect((await member.api.delete(`${path}/${uploaded}`)).body).toEqual(document.attachments[0]);
      expect((await member.api.download(`${path}/${uploaded}`)).status).toBe(404);
    });
  });

  it('removes the documents of a deleted project', async () => {
    const { world } = tested;
    const a = await add('a');
    await below('b', a);
    await member.api.post(`/documents/${a.id}/tags`, { tagNames: ['x'] });
    const notifiedUserId = [world.admin.id];
    const comment = { content: 'One', notifiedUserId };
    const commented = await member.api.post(`/documents/${a.id}/comments`, comment);
    await member.api.post(`/documents/${a.id}/attachments`, {
      attachmentId: [await world.addUpload(member)],
    });
    const stored = async (table: string, column: string, value: unknown): Promise<boolean> => {
      const sql = `SELECT ${column} FROM ${table} WHERE ${column} = ?`;
      return (await world.dataSource.query<unknown[]>(sql, [value])).length > 0;
    };
    const all = (): Promise<boolean[]> =>
      Promise.all([
        stored('document', 'project_id', project.id),
        stored('document_tag', 'project_id', project.id),
        stored('document_tree', 'id', project.id),
        stored('document_comment', 'uid', commented.body.id),
        stored('comment_thread', 'project_id', project.id),
      ]);
    expect(await all()).toEqual([true, true, true, true, true]);
    expect((await world.admin.api.delete(`/projects/${project.key}`)).status).toBe(200);
    expect((await world.admin.api.get(`/documents/${a.id}`)).status).toBe(404);
    const { body } = await world.admin.api.get<Document[]>('/documents?count=100');
    expect(body.filter(({ id }) => id === a.id)).toEqual([]);
    await world.whenIdle();
    expect(await all()).toEqual([false, false, false, false, false]);
  });
});
