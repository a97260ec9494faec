import { IssueSharedFile } from '../../src/issues/entities/issue-shared-file.entity';
import { insertRows } from '../../src/database/sql/rows';
import { IssuesService } from '../../src/issues/issues.service';
import { activitiesOf, everythingStored, statementsOf } from '../support/records';
import { errorShape } from '../support/shapes';
import { addSharedFile, putSharedFile } from '../support/shared-files';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

interface SharedFile {
  id: number;
  dir: string;
  name: string;
  size: number;
}

interface Usage {
  issue: number;
  wiki: number;
  file: number;
  pullRequest: number;
  details: object[];
}

describe('a shared file link', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;

  beforeAll(() => tested.world.stopDeliveries());
  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
  });

  const aFile = async (): Promise<SharedFile> => {
    const file = { folder: 'a', name: tested.world.uniqueName('file') };
    return (await putSharedFile<SharedFile>(member, project, file)).body;
  };

  describe.each([
    ['an issue', () => `/issues/${project.issueKey}`],
    ['a wiki page', () => `/wikis/${project.wikiId}`],
  ])('/sharedFiles of %s', (_what, pathOf) => {
    const links = (): string => `${pathOf()}/sharedFiles`;
    const linked = async (): Promise<unknown[]> => (await member.api.get<unknown[]>(links())).body;

    it('returns linked files in the requested order and lists them by id', async () => {
      const [one, two, three] = [await aFile(), await aFile(), await aFile()];
      const { status, body } = await member.api.post(links(), { fileId: [two.id, one.id, two.id] });
      expect({ status, body }).toEqual({ status: 200, body: [two, one] });
      // Existing links are kept.
      expect((await member.api.post(links(), { fileId: [three.id, one.id] })).body).toEqual([three, one]);
      expect(await linked()).toEqual([one, two, three]);
      expect((await member.api.get(pathOf())).body.sharedFiles).toEqual([one, two, three]);
    });

    it('stores a repeated link only once', async () => {
      const file = await aFile();
      await member.api.post(links(), { fileId: [file.id] });
      const rows = await everythingStored(tested.world);
      await member.api.post(links(), { fileId: [file.id] });
      expect(await everythingStored(tested.world)).toEqual(rows);
    });

    it('removes a link once and keeps the file', async () => {
      const file = await aFile();
      await member.api.post(links(), { fileId: [file.id] });
      const answers = await Promise.all([1, 2, 3].map(() => member.api.delete(`${links()}/${file.id}`)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
      expect(answers.find(({ status }) => status === 200)?.body).toEqual(file);
      expect(await linked()).toEqual([]);
      expect((await member.api.get(`/projects/${project.key}/files/${file.id}`)).status).toBe(200);
    });

    it('answers 400 to a fileId that is no file of the project', async () => {
      const file = await aFile();
      const elsewhere = await tested.world.addProject();
      const foreign = await addSharedFile(tested.world.admin, elsewhere);
      const upload = await tested.world.addUpload(member);
      const [folder] = (await member.api.get(`/projects/${project.key}/files/metadata/`)).body;
      const rows = await everythingStored(tested.world);
      for (const bad of [foreign, folder.id, 999_999 + upload]) {
        const { status, body } = await member.api.post(links(), { fileId: [file.id, bad] });
        expect({ status, body }).toEqual({ status: 400, body: errorShape(7, ['fileId']) });
        expect(body.errors[0].message).toMatch(new RegExp(`: ${bad}\\. Valid ids: ${file.id}\\.$`));
      }
      for (const fileId of [undefined, [], ['x'], 1]) {
        expect((await member.api.post(links(), { fileId })).body).toEqual(errorShape(7, ['fileId']));
      }
      expect(await everythingStored(tested.world)).toEqual(rows);
    });

    it('lists no link to a file that is deleted simultaneously', async () => {
      for (let round = 0; round < 4; round++) {
        const [file, other] = [await aFile(), await aFile()];
        const [link, deleted] = await Promise.all([
          member.api.post(links(), { fileId: [file.id, other.id] }),
          member.api.delete(`/projects/${project.key}/files/${file.id}`),
        ]);
        expect(deleted.status).toBe(200);
        expect([200, 400]).toContain(link.status);
        expect(await linked()).toEqual(link.status === 200 ? [other] : []);
        await member.api.delete(`${links()}/${other.id}`);
      }
    });

    it('keeps the file when the issue or wiki page is deleted', async () => {
      const file = await aFile();
      await member.api.post(links(), { fileId: [file.id] });
      const { status, body } = await tested.world.admin.api.delete(pathOf());
      expect(status).toBe(200);
      expect(body.sharedFiles).toEqual([file]);
      expect((await member.api.get(`/projects/${project.key}/files/${file.id}`)).status).toBe(200);
    });
  });

  it('appears in the change log, activities and updatedUser of an issue', async () => {
    const { id, dir, name, size } = await aFile();
    const path = `/issues/${project.issueKey}`;
    const told = (await activitiesOf(tested.world, project)).length;
    await member.api.post(`${path}/sharedFiles`, { fileId: [id] });
    await member.api.delete(`${path}/sharedFiles/${id}`);
    const { body: comments } = await member.api.get(`${path}/comments?order=asc`);
    const entry = (newValue: string, originalValue: string) => ({
      field: 'sharedFile',
      newValue,
      originalValue,
      attachmentInfo: null,
      attributeInfo: null,
      notificationInfo: null,
    });
    expect(comments).toMatchObject([
      { content: '', changeLog: [entry(dir + name, '')] },
      { content: '', changeLog: [entry('', dir + name)] },
    ]);
    expect((await member.api.get(path)).body.updatedUser.id).toBe(member.id);
    const content = (index: number, new_value: string, old_value: string, shared_files: object[]) => ({
      type: 2,
      createdUserId: member.id,
      content: {
        id: project.issueId,
        key_id: 1,
        summary: 'An issue',
        description: 'Its description',
        comment: { id: comments[index].id, content: '' },
        changes: [{ field: 'sharedFile', new_value, old_value, type: 'standard' }],
        attachments: [],
        shared_files,
        external_file_links: [],
      },
    });
    expect((await activitiesOf(tested.world, project)).slice(told)).toEqual([
      content(0, dir + name, '', [{ id, dir, name, size }]),
      content(1, '', dir + name, []),
    ]);
  });

  it('appears in the activities of a wiki page', async () => {
    const { id, dir, name, size } = await aFile();
    const told = (await activitiesOf(tested.world, project)).length;
    await member.api.post(`/wikis/${project.wikiId}/sharedFiles`, { fileId: [id] });
    await member.api.delete(`/wikis/${project.wikiId}`);
    const shared_files = [{ id, dir, name, size }];
    const page = { id: project.wikiId, name: 'Home', content: 'Its content', diff: '', version: 1 };
    expect((await activitiesOf(tested.world, project)).slice(told)).toMatchObject([
      { type: 6, content: { ...page, attachments: [], shared_files } },
      { type: 7, content: { ...page, attachments: [], shared_files } },
    ]);
  });

  it('filters and sorts issues by sharedFile', async () => {
    const [file, other] = [await aFile(), await aFile()];
    const keys = [project.issueKey];
    for (const summary of ['b', 'c']) {
      const { body } = await member.api.post('/issues', {
        projectId: project.id,
        summary,
        issueTypeId: project.issueTypeId,
        priorityId: 3,
      });
      keys.push(body.issueKey as string);
    }
    await member.api.post(`/issues/${keys[1]}/sharedFiles`, { fileId: [file.id, other.id] });
    await member.api.post(`/issues/${keys[2]}/sharedFiles`, { fileId: [other.id] });
    const found = async (query: string): Promise<string[]> => {
      const { body } = await member.api.get<{ issueKey: string }[]>(`/issues?order=asc&${query}`);
      return body.map(({ issueKey }) => issueKey);
    };
    expect(await found('sharedFile=true')).toEqual([keys[1], keys[2]]);
    expect(await found('sharedFile=false')).toEqual([keys[0]]);
    expect(await found('sort=sharedFile')).toEqual([keys[0], keys[2], keys[1]]);
    expect((await member.api.get('/issues/count?sharedFile=true')).body).toEqual({ count: 2 });
    const { body } = await member.api.get('/issues?sharedFile=true&order=asc');
    expect(body.map(({ sharedFiles }: { sharedFiles: unknown }) => sharedFiles)).toEqual([
      [file, other],
      [other],
    ]);
  });

  it('reads the files of an issue only where links exist', async () => {
    const statements = async (): Promise<string[]> => {
      const sent = await statementsOf(tested.world, () => member.api.get(`/issues/${project.issueKey}`));
      return sent.filter((sql) => sql.includes('JOIN shared_file'));
    };
    expect(await statements()).toEqual([]);
    await member.api.post(`/issues/${project.issueKey}/sharedFiles`, { fileId: [(await aFile()).id] });
    expect(await statements()).toHaveLength(1);
  });

  it('is limited to a thousand issues for each file', async () => {
    const file = await aFile();
    const others = await tested.world.write(async (manager) => {
      const issue = {
        projectId: project.id,
        summary: 'x',
        description: '',
        issueTypeId: project.issueTypeId,
        statusId: project.statusId,
        createdUserId: member.id,
      };
      const ids: number[] = [];
      for (let count = 0; count < 999; count++) {
        ids.push((await tested.world.service(IssuesService).add(manager, issue)).id);
      }
      await insertRows(
        manager,
        IssueSharedFile,
        ids.map((issueId) => ({ sharedFileId: file.id, issueId })),
      );
      return ids;
    });
    const path = (issue: string | number): string => `/issues/${issue}/sharedFiles`;
    expect((await member.api.post(path(project.issueKey), { fileId: [file.id] })).status).toBe(200);
    const { body: another } = await member.api.post('/issues', {
      projectId: project.id,
      summary: 'x',
      issueTypeId: project.issueTypeId,
      priorityId: 3,
    });
    const { status, body } = await member.api.post(path(another.id), { fileId: [file.id] });
    expect({ status, body }).toEqual({ status: 409, body: errorShape(9) });
    expect((await member.api.delete(`/projects/${project.key}/files/${file.id}`)).status).toBe(200);
    expect((await member.api.get(path(others[0] as number))).body).toEqual([]);
  });

  describe('GET diskUsage of a project and of the space', () => {
    const usage = async (of = project): Promise<unknown> =>
      (await tested.world.admin.api.get(`/projects/${of.key}/diskUsage`)).body;
    const nothing = {
      issue: 0,
      wiki: 0,
      file: 0,
      subversion: 0,
      git: 0,
      gitLFS: 0,
      document: 0,
      pullRequest: 0,
    };

    it('counts each attached or shared file once, by project and in total', async () => {
      const { world } = tested;
      const before = (await world.admin.api.get<Usage>('/space/diskUsage')).body;
      const other = await world.addProject();
      expect(await usage()).toEqual({ projectId: project.id, ...nothing });
      const upload = (content: string): Promise<number> => world.addUpload(member, content);
      await member.api.post(`/issues/${project.issueKey}/comments`, {
        content: 'x',
        attachmentId: [await upload('x'.repeat(10)), await upload('x')],
      });
      await member.api.post(`/wikis/${project.wikiId}/attachments`, {
        attachmentId: [await upload('x'.repeat(100))],
      });
      const pullRequest = `/projects/${project.key}/git/repositories/${project.repositoryName}/pullRequests/1`;
      await member.api.post(`${pullRequest}/comments`, {
        content: 'x',
        attachmentId: [await upload('x'.repeat(1000))],
      });
      await upload('attached to nothing');
      const fileId = await addSharedFile(member, project, { content: 'x'.repeat(5) });
      await addSharedFile(member, project, { content: 'x'.repeat(20_000) });
      await member.api.post(`/issues/${project.issueKey}/sharedFiles`, { fileId: [fileId] });
      await member.api.post(`/wikis/${project.wikiId}/sharedFiles`, { fileId: [fileId] });
      await addSharedFile(world.admin, other, { content: 'x'.repeat(7), name: 'a' });
      const figures = { ...nothing, issue: 11, wiki: 100, file: 20_000, pullRequest: 1000 };
      expect(await usage()).toEqual({ projectId: project.id, ...figures });
      const { body } = await world.admin.api.get('/space/diskUsage');
      expect(body).toMatchObject({
        capacity: 0,
        issue: before.issue + 11,
        wiki: before.wiki + 100,
        file: before.file + 20_007,
        pullRequest: before.pullRequest + 1000,
      });
      expect(body.details.slice(-2)).toEqual([
        { projectId: project.id, ...figures },
        { projectId: other.id, ...nothing, file: 7 },
      ]);
      // Without the project's row, its files are not counted.
      await world.admin.api.delete(`/projects/${other.key}`);
      const after = (await world.admin.api.get<Usage>('/space/diskUsage')).body;
      expect(after.details.at(-1)).toEqual({ projectId: project.id, ...figures });
      expect(after.file).toBe(before.file + 20_000);
    });

    it('takes the same number of statements for many projects as for one', async () => {
      const count = async (): Promise<number> =>
        (await statementsOf(tested.world, () => tested.world.admin.api.get('/space/diskUsage'))).length;
      const before = await count();
      for (let times = 0; times < 3; times++) {
        await addSharedFile(tested.world.admin, await tested.world.addProject());
      }
      expect(await count()).toBe(before);
    });
  });
});
