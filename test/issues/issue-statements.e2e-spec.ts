import { addIssue, addSetting, updateIssue } from '../support/issues';
import { allStatementsOf } from '../support/records';
import { addSharedFile } from '../support/shared-files';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const MAX_OF_ISSUE = 6;
const MAX_OF_LIST = 8;
/** Texts with the characters that JSON escapes. */
const TEXT = `"quoted" \\u0041 \\\\ 'single' </b> 😀 \u2028 é`;
const LINES = `${TEXT}\n\tsecond line`;

describe('GET /issues, by its statements', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let author: Person;
  let fan: Person;

  beforeAll(async () => {
    await tested.world.stopDeliveries();
    project = await tested.world.addProject();
    author = await tested.world.addMember(project);
    fan = await tested.world.addMember(project);
  });

  /** Adds an issue with a value in every field, and two children of which one is closed. */
  async function addWholeIssue(): Promise<{ id: number; shown: object }> {
    const { world } = tested;
    const { api } = world.admin;
    const field = async (body: object): Promise<any> =>
      (await api.post(`/projects/${project.key}/customFields`, { name: world.uniqueName('Field'), ...body }))
        .body;
    const text = await field({ typeId: 2 });
    const number = await field({ typeId: 3 });
    const date = await field({ typeId: 4 });
    const boxes = await field({ typeId: 7, items: [TEXT, 'Other'], allowInput: true });
    const limited = await field({ typeId: 1, applicableIssueTypes: [project.issueTypeId] });
    const category = await addSetting(world, project, 'categories', world.uniqueName(TEXT));
    const version = await addSetting(world, project, 'versions', world.uniqueName(TEXT));
    await api.patch(`/projects/${project.key}/versions/${version.id}`, {
      name: version.name,
      description: LINES,
      startDate: '2026-02-03',
      archived: true,
    });
    const issue = await addIssue(author, project, {
      description: LINES,
      categoryId: [category.id],
      versionId: [version.id],
      milestoneId: [version.id],
      assigneeId: fan.id,
      estimatedHours: 1.25,
      attachmentId: [await world.addUpload(author)],
      [`customField_${text.id}`]: LINES,
      [`customField_${number.id}`]: -2.5,
      [`customField_${date.id}`]: '2026-02-03',
      [`customField_${boxes.id}`]: [boxes.items[0].id],
      [`customField_${boxes.id}_otherValue`]: TEXT,
    });
    const fileId = await addSharedFile(fan, project, { name: 'é 😀.txt' });
    await author.api.post(`/issues/${issue.id}/sharedFiles`, { fileId: [fileId] });
    expect((await fan.api.post('/stars', { issueId: issue.id })).status).toBe(204);
    const [closed] = [
      await addIssue(author, project, { parentIssueId: issue.id }),
      await addIssue(author, project, { parentIssueId: issue.id }),
    ];
    await updateIssue(author, closed.id, { statusId: 4 });
    const setting = {
      id: version.id,
      projectId: project.id,
      name: version.name,
      description: LINES,
      startDate: '2026-02-03T00:00:00Z',
      releaseDueDate: null,
      archived: true,
      displayOrder: expect.any(Number),
    };
    return {
      id: issue.id,
      shown: {
        id: issue.id,
        description: LINES,
        issueType: { id: project.issueTypeId },
        status: { id: 1, projectId: project.id },
        estimatedHours: 1.25,
        assignee: { id: fan.id },
        category: [{ id: category.id, projectId: project.id, name: category.name }],
        versions: [setting],
        milestone: [setting],
        attachments: [{ createdUser: { id: author.id } }],
        sharedFiles: [{ id: fileId, name: 'é 😀.txt', createdUser: { id: fan.id }, type: 'file' }],
        stars: [{ presenter: { id: fan.id } }],
        customFields: [
          { id: text.id, value: LINES },
          { id: number.id, value: -2.5 },
          { id: date.id, value: '2026-02-03T00:00:00Z' },
          { id: boxes.id, value: [boxes.items[0]], otherValue: TEXT },
          { id: limited.id, value: null },
        ],
        childIssueSummary: { total: 2, closed: 1 },
      },
    };
  }

  it(`sends at most ${MAX_OF_ISSUE} statements for one issue and ${MAX_OF_LIST} for a page, with all fields and the caller's key`, async () => {
    const { world } = tested;
    const { id, shown } = await addWholeIssue();
    await addIssue(author, project);
    const read = await allStatementsOf(world, async () => {
      const { body } = await author.api.get(`/issues/${id}?expand[]=childIssueSummary`);
      expect(body).toMatchObject(shown);
    });
    expect(read.length).toBeGreaterThan(1);
    expect(read.slice(MAX_OF_ISSUE)).toEqual([]);
    const query = `projectId[]=${project.id}&statusId[]=1&expand[]=childIssueSummary`;
    const list = await allStatementsOf(world, async () => {
      const { body } = await author.api.get<{ id: number }[]>(`/issues?${query}`);
      expect(body.find((issue) => issue.id === id)).toMatchObject(shown);
    });
    expect(list.slice(MAX_OF_LIST)).toEqual([]);
  });

  it('sends the same statements for an issue without parts, except those that read them', async () => {
    const issue = await addIssue(author, project);
    const read = await allStatementsOf(tested.world, async () => {
      const { body } = await author.api.get(`/issues/${issue.id}`);
      expect(body).toMatchObject({ category: [], versions: [], attachments: [], sharedFiles: [], stars: [] });
    });
    expect(
      read.filter((sql) => /issue_attachment l|FROM star/.test(sql.replaceAll(/EXISTS \([^)]*\)/g, ''))),
    ).toEqual([]);
  });
});
