import { activitiesOf, everythingStored } from '../support/records';
import { expectRefused } from '../support/refusals';
import { aTimestamp, anId, errorShape, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const LONG_AGO = Date.parse('2020-02-29T12:34:56.789Z');

/** The tables with rows that belong to one page only. */
const THEIRS = ['wiki', 'wiki_version', 'wiki_tagging', 'wiki_attachment', 'attachment', 'comment_thread'];

describe('wiki pages', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;

  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
  });

  const addPage = async (name: string, content = 'Text'): Promise<number> => {
    const page = { projectId: project.id, name, content };
    const { status, body } = await member.api.post<{ id: number }>('/wikis', page);
    expect(status).toBe(201);
    return body.id;
  };

  const homeShape = (fields: object = {}): object => ({
    id: project.wikiId,
    projectId: project.id,
    name: 'Home',
    content: 'Its content',
    tags: [],
    attachments: [],
    sharedFiles: [],
    stars: [],
    createdUser: userShape(tested.world.admin),
    created: aTimestamp,
    updatedUser: userShape(tested.world.admin),
    updated: aTimestamp,
    ...fields,
  });

  const makeOld = (): Promise<unknown> =>
    tested.world.dataSource.query('UPDATE wiki SET created = ?, updated = ? WHERE id = ?', [
      LONG_AGO,
      LONG_AGO,
      project.wikiId,
    ]);

  describe('POST /wikis', () => {
    it('returns 201 with every field and no other', async () => {
      const page = { projectId: project.id, name: 'Größe 😀', content: '# Releases\n' };
      const name = '[guide][dev] Größe 😀';
      const { status, body } = await member.api.post('/wikis', { ...page, name, mailNotify: true });
      expect(status).toBe(201);
      expect(body).toEqual({
        ...page,
        id: anId,
        tags: [
          { id: anId, name: 'dev' },
          { id: anId, name: 'guide' },
        ],
        attachments: [],
        sharedFiles: [],
        stars: [],
        createdUser: userShape(member),
        created: aTimestamp,
        updatedUser: userShape(member),
        updated: body.created,
      });
      expect((await member.api.get(`/wikis/${body.id}`)).body).toEqual(body);
    });

    it('records activity 5', async () => {
      const id = await addPage('[guide] Releases', '# Releases');
      expect(await activitiesOf(tested.world, project)).toEqual([
        {
          type: 5,
          createdUserId: member.id,
          content: {
            id,
            name: 'Releases',
            content: '# Releases',
            diff: '',
            version: 1,
            attachments: [],
            shared_files: [],
          },
        },
      ]);
    });

    it('accepts a form, as do PATCH and DELETE', async () => {
      const form = { projectId: String(project.id), name: 'Page', content: '', mailNotify: 'false' };
      const { status, body } = await member.api.send('POST', '/wikis', new URLSearchParams(form));
      expect(status).toBe(201);
      const path = `/wikis/${body.id}`;
      const changed = await member.api.send('PATCH', path, new URLSearchParams({ content: 'Text' }));
      expect(changed.body).toMatchObject({ name: 'Page', content: 'Text' });
      const deleted = await member.api.send('DELETE', path, new URLSearchParams({ mailNotify: 'true' }));
      expect(deleted.body).toEqual(changed.body);
    });

    it('trims the name, and accepts a duplicate name and empty content', async () => {
      const id = await addPage(' Home ', '');
      const { body } = await member.api.get(`/wikis/${id}`);
      expect(body).toMatchObject({ name: 'Home', content: '' });
    });

    it('accepts a name and content of the maximum length', async () => {
      const longest = { projectId: project.id, name: '😀'.repeat(255), content: '😀'.repeat(100_000) };
      const { status, body } = await member.api.post('/wikis', longest);
      expect(status).toBe(201);
      expect(body).toMatchObject(longest);
    });

    it.each<[string, object, string]>([
      ['a missing projectId', { projectId: undefined }, 'projectId'],
      ['an unknown project', { projectId: 999_999 }, 'projectId'],
      ['a project key for projectId', { projectId: 'DEMO' }, 'projectId'],
      ['a missing name', { name: undefined }, 'name'],
      ['a blank name', { name: ' ' }, 'name'],
      ['a name that is too long', { name: 'x'.repeat(256) }, 'name'],
      ['missing content', { content: undefined }, 'content'],
      ['null for the content', { content: null }, 'content'],
      ['content that is too long', { content: 'x'.repeat(100_001) }, 'content'],
      ['text for mailNotify', { mailNotify: 'yes' }, 'mailNotify'],
      ['a read-only field', { tags: [] }, 'tags'],
    ])('refuses %s', async (_what, change, field) => {
      const page = { projectId: project.id, name: 'Page', content: 'Text', ...change };
      await expectRefused(tested.world, () => member.api.post('/wikis', page), [field]);
    });

    it('refuses a project hidden from the caller like an unknown one', async () => {
      const stranger = await tested.world.addUser();
      const add = (projectId: number) =>
        stranger.api.post('/wikis', { projectId, name: 'Page', content: 'Text' });
      await expectRefused(tested.world, () => add(project.id), ['projectId']);
      expect((await add(project.id)).text.replaceAll(String(project.id), '999999')).toBe(
        (await add(999_999)).text,
      );
    });

    it('returns 409 above 5,000 pages in a project, until one is deleted', async () => {
      await tested.world.dataSource.query(
        "UPDATE project_counter SET used = 5000 WHERE project_id = ? AND name = 'wiki'",
        [project.id],
      );
      const add = () => member.api.post('/wikis', { projectId: project.id, name: 'Page', content: '' });
      const refused = await add();
      expect(refused.status).toBe(409);
      expect(refused.body).toEqual(errorShape(9));
      expect((await member.api.delete(`/wikis/${project.wikiId}`)).status).toBe(200);
      expect((await add()).status).toBe(201);
    });
  });

  describe('the list of wiki pages', () => {
    const names = async (query = ''): Promise<string[]> => {
      const { status, body } = await member.api.get<{ name: string }[]>(
        `/wikis?projectIdOrKey=${project.key}${query}`,
      );
      expect(status).toBe(200);
      return body.map(({ name }) => name);
    };

    it('has all pages of the project, without their contents', async () => {
      await tested.world.addProject();
      const id = await addPage('[guide] Releases');
      const { body } = await member.api.get(`/wikis?projectIdOrKey=${project.id}`);
      const onlyOfOne = ['content', 'attachments', 'sharedFiles', 'stars'];
      const home = Object.fromEntries(
        Object.entries(homeShape()).filter(([field]) => !onlyOfOne.includes(field)),
      );
      expect(body).toEqual([
        home,
        {
          id,
          projectId: project.id,
          name: 'Releases',
          tags: [{ id: anId, name: 'guide' }],
          createdUser: userShape(member),
          created: aTimestamp,
          updatedUser: userShape(member),
          updated: aTimestamp,
        },
      ]);
    });

    it('is sorted by name', async () => {
      for (const name of ['b', 'a', 'Zebra', 'ä', 'a']) await addPage(name);
      expect(await names()).toEqual(['Home', 'Zebra', 'a', 'a', 'b', 'ä']);
    });

    it.each([
      ['part of a name', 'elea', ['Releases']],
      ['part of the content', 'mond', ['Releases']],
      ['part of a name or content', 'on', ['Home', 'Releases']],
      ['text of no page', 'friday', []],
      ['text with a wildcard', '100%', ['Percent']],
      ['a wildcard alone', '_', ['Percent']],
      ['the escape character of wildcards', '!', ['Percent']],
      ['an empty keyword', '', ['Home', 'Percent', 'Releases']],
    ])('is filtered by %s', async (_what, keyword, expected) => {
      await addPage('Releases', 'On Mondays');
      await addPage('Percent', '100% of a_b!');
      expect(await names(`&keyword=${encodeURIComponent(keyword)}`)).toEqual(expected);
      expect(await names(`&keyword=${encodeURIComponent(keyword.toUpperCase())}`)).toEqual(expected);
    });

    it('is filtered by tags, ignoring case', async () => {
      await addPage('[Übersicht][dev] Releases');
      await addPage('[api] Keys');
      expect(await names('&keyword=%C3%BCbersicht')).toEqual(['Releases']);
      expect(await names('&keyword=DEV')).toEqual(['Releases']);
      expect(await names('&keyword=%5Bdev%5D')).toEqual([]);
    });

    it('has all matches among many pages, sorted by name', async () => {
      const numbers = Array.from({ length: 50 }, (_, index) => index);
      for (const number of numbers) {
        await addPage(`Page ${String(49 - number).padStart(2, '0')}`, number % 7 === 0 ? 'On FRÜHLING' : '');
      }
      const expected = numbers.filter((number) => number % 7 === 0).map((number) => 49 - number);
      expect(await names('&keyword=fr%C3%BChling')).toEqual(
        expected.toReversed().map((number) => `Page ${String(number).padStart(2, '0')}`),
      );
      expect(await names('&keyword=page')).toHaveLength(50);
    });

    it('is sorted by the given sort and order', async () => {
      const { world } = tested;
      for (const name of ['Beta', 'Alpha', 'Gamma']) await addPage(name);
      for (const [name, created, updated] of [
        ['Home', 1000, 9000],
        ['Beta', 2000, 3000],
        ['Alpha', 3000, 3000],
        ['Gamma', 4000, 2000],
      ]) {
        await world.dataSource.query(
          'UPDATE wiki SET created = ?, updated = ? WHERE project_id = ? AND name = ?',
          [created, updated, project.id, name],
        );
      }
      const byName = ['Alpha', 'Beta', 'Gamma', 'Home'];
      expect(await names('')).toEqual(byName);
      expect(await names('&sort=name&order=asc')).toEqual(byName);
      expect(await names('&order=desc')).toEqual(byName.toReversed());
      expect(await names('&sort=created')).toEqual(['Gamma', 'Alpha', 'Beta', 'Home']);
      expect(await names('&sort=created&order=asc')).toEqual(['Home', 'Beta', 'Alpha', 'Gamma']);
      expect(await names('&sort=updated')).toEqual(['Home', 'Alpha', 'Beta', 'Gamma']);
      expect(await names('&sort=created&keyword=a')).toEqual(['Gamma', 'Alpha', 'Beta']);
      const { status, body } = await member.api.get(
        `/wikis?projectIdOrKey=${project.key}&sort=size&order=up`,
      );
      expect(status).toBe(400);
      expect(body).toEqual(errorShape(7, ['sort', 'order']));
    });

    it('is counted by GET /wikis/count', async () => {
      await addPage('Releases');
      const { body } = await member.api.get(`/wikis/count?projectIdOrKey=${project.key}`);
      expect(body).toEqual({ count: 2 });
    });

    describe.each(['/wikis', '/wikis/count', '/wikis/tags'])('GET %s', (path) => {
      it.each<[string, string, string[]]>([
        ['without projectIdOrKey', '', ['projectIdOrKey']],
        ['with projectIdOrKey twice', '?projectIdOrKey=A&projectIdOrKey=B', ['projectIdOrKey']],
        ['with a list for projectIdOrKey', '?projectIdOrKey[]=A&projectIdOrKey[]=B', ['projectIdOrKey']],
        ['with an unknown parameter only', '?nonsense=1', ['projectIdOrKey']],
      ])('refuses a request %s', async (_what, query, fields) => {
        const { status, body } = await member.api.get(path + query);
        expect(status).toBe(400);
        expect(body).toEqual(errorShape(7, fields));
      });

      it.each(['', '0', '999999', 'NOSUCH', '%20', 'x'.repeat(300)])(
        'returns 404 for the project %j',
        async (name) => {
          const { status, body } = await member.api.get(`${path}?projectIdOrKey=${name}&nonsense=1`);
          expect(status).toBe(404);
          expect(body).toEqual(errorShape(6));
        },
      );

      it('accepts an API key in the query', async () => {
        const query = `?apiKey=${member.key}&projectIdOrKey=${project.key}`;
        expect((await tested.world.anonymous.get(path + query)).status).toBe(200);
      });
    });
  });

  describe('PATCH /wikis/{wikiId}', () => {
    const update = (changes: object) => member.api.patch(`/wikis/${project.wikiId}`, changes);

    it('returns the changed page with its updater', async () => {
      await makeOld();
      const { status, body } = await update({ name: 'Start', content: 'Welcome', mailNotify: false });
      expect(status).toBe(200);
      expect(body).toEqual(
        homeShape({
          name: 'Start',
          content: 'Welcome',
          created: '2020-02-29T12:34:56Z',
          updatedUser: userShape(member),
        }),
      );
      expect(Date.parse(body.updated as string)).toBeGreaterThan(LONG_AGO);
      expect((await member.api.get(`/wikis/${project.wikiId}`)).body).toEqual(body);
    });

    it.each([
      ['name', { name: 'Start' }],
      ['content', { content: 'Welcome' }],
      ['emptied content', { content: '' }],
    ])('keeps the other fields when only the %s is given', async (_what, changes) => {
      const { body } = await update(changes);
      expect(body).toEqual(homeShape({ ...changes, updatedUser: userShape(member) }));
    });

    it('records activity 6 with the diff of the content', async () => {
      await update({ content: 'Its content\nand more' });
      await update({ name: 'Start' });
      const told = {
        id: project.wikiId,
        content: 'Its content\nand more',
        attachments: [],
        shared_files: [],
      };
      const diff = [
        '@@ -1,1 +1,2 @@',
        '-Its content',
        '\\ No newline at end of file',
        '+Its content',
        '+and more',
        '\\ No newline at end of file',
        '',
      ].join('\n');
      expect(await activitiesOf(tested.world, project)).toEqual([
        { type: 6, createdUserId: member.id, content: { ...told, name: 'Home', diff, version: 2 } },
        { type: 6, createdUserId: member.id, content: { ...told, name: 'Start', diff: '', version: 3 } },
      ]);
    });

    it.each([
      ['no field', {}],
      ['the current values', { name: ' Home ', content: 'Its content' }],
      ['mailNotify alone', { mailNotify: true }],
    ])('changes nothing when given %s', async (_what, changes) => {
      const before = await everythingStored(tested.world);
      const { status, body } = await update(changes);
      expect(status).toBe(200);
      expect(body).toEqual(homeShape());
      expect(await everythingStored(tested.world)).toEqual(before);
    });

    it.each<[string, object, string]>([
      ['a blank name', { name: '' }, 'name'],
      ['null for the name', { name: null }, 'name'],
      ['null for the content', { content: null }, 'content'],
      ['content that is too long', { content: 'x'.repeat(100_001) }, 'content'],
      ['a projectId', { projectId: 1 }, 'projectId'],
    ])('refuses %s', async (_what, changes, field) => {
      await expectRefused(tested.world, () => update(changes), [field]);
    });

    it('applies simultaneous changes with consecutive versions', async () => {
      const answers = await Promise.all([
        update({ name: 'Start' }),
        update({ content: 'Welcome' }),
        update({ name: 'Start', content: 'Welcome' }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      const { body } = await member.api.get(`/wikis/${project.wikiId}`);
      expect(body).toMatchObject({ name: 'Start', content: 'Welcome' });
      const activities = await activitiesOf(tested.world, project);
      const { body: history } = await member.api.get<{ version: number }[]>(
        `/wikis/${project.wikiId}/history?order=asc`,
      );
      const versions = history.map(({ version }) => version);
      expect(versions).toEqual(versions.map((_version, index) => index + 1));
      expect(activities.map(({ content }) => content.version)).toEqual(versions.slice(1));
      expect(history.at(-1)).toMatchObject({ name: 'Start', content: 'Welcome' });
    });
  });

  describe('DELETE /wikis/{wikiId}', () => {
    it('returns the deleted page, and removes all its rows', async () => {
      const { world } = tested;
      const before = await everythingStored(world);
      const id = await addPage('[guide] Releases', 'On Mondays');
      const path = `/wikis/${id}`;
      const attachmentId = await world.addUpload(member);
      await member.api.post(`${path}/attachments`, { attachmentId: [attachmentId] });
      await member.api.patch(path, { content: 'On Tuesdays' });
      const { body: page } = await member.api.get(path);
      const { status, body } = await member.api.delete(path, { mailNotify: false });
      expect(status).toBe(200);
      expect(body).toEqual(page);
      expect(body).toMatchObject({ content: 'On Tuesdays', attachments: [{ id: attachmentId }] });

      const gone = await member.api.get(path);
      expect(gone.status).toBe(404);
      expect(gone.body).toEqual(errorShape(6));
      await world.background.whenIdle();
      const after = await everythingStored(world);
      for (const table of THEIRS) expect([table, after[table]]).toEqual([table, before[table]]);
      expect((await member.api.get(`/wikis/count?projectIdOrKey=${project.key}`)).body).toEqual({ count: 1 });
    });

    it('records activity 7', async () => {
      const id = await tested.world.addUpload(member, 'one', 'one.txt');
      await member.api.post(`/wikis/${project.wikiId}/attachments`, { attachmentId: [id] });
      await member.api.patch(`/wikis/${project.wikiId}`, { content: 'Changed' });
      await member.api.delete(`/wikis/${project.wikiId}`);
      expect((await activitiesOf(tested.world, project)).at(-1)).toEqual({
        type: 7,
        createdUserId: member.id,
        content: {
          id: project.wikiId,
          name: 'Home',
          content: 'Changed',
          diff: '',
          version: 2,
          attachments: [{ id, name: 'one.txt', size: 3 }],
          shared_files: [],
        },
      });
    });

    it('succeeds once beside simultaneous changes, as the last activity', async () => {
      const path = `/wikis/${project.wikiId}`;
      const attachmentId = await tested.world.addUpload(member);
      const answers = await Promise.all([
        member.api.patch(path, { content: 'Welcome' }),
        member.api.delete(path),
        member.api.post(`${path}/attachments`, { attachmentId: [attachmentId] }),
        member.api.delete(path),
      ]);
      const statuses = answers.map(({ status }) => status);
      expect([statuses[1], statuses[3]].sort()).toEqual([200, 404]);
      expect([200, 404]).toContain(statuses[0]);
      expect([200, 404]).toContain(statuses[2]);
      const told = (await activitiesOf(tested.world, project)).map(({ type }) => type);
      expect(told.filter((type) => type === 7)).toHaveLength(1);
      expect(told.at(-1)).toBe(7);
      expect(told).toHaveLength(statuses.filter((status) => status === 200).length);
    });
  });
});
