import { type Person, type ProjectFixture, type World } from '../world';
import {
  ADMINISTRATORS,
  CONTRIBUTORS,
  DEVELOPERS,
  EVERYONE,
  type Names,
  type OperationCase,
  type OperationCases,
  PROJECT_ADMINISTRATORS,
  theIssue,
  times,
} from './operation-case';

const newIssue = (world: World, { id, issueTypeId }: ProjectFixture): object => ({
  projectId: id,
  summary: world.uniqueName('Issue'),
  issueTypeId,
  priorityId: 3,
});

/** Adds an issue in a new project, with parts that no other issue uses, and returns its id. */
export async function addUniqueIssue(world: World): Promise<number> {
  const project = await world.addProject();
  const [author, assignee, presenter] = [
    await world.addMember(project),
    await world.addMember(project),
    await world.addMember(project),
  ];
  const addSetting = async (what: string): Promise<number> => {
    const body = { name: world.uniqueName(what) };
    return (await author.api.post<{ id: number }>(`/projects/${project.key}/${what}`, body)).body.id;
  };
  const fields = `/projects/${project.key}/customFields`;
  const text = { typeId: 1, name: world.uniqueName('Field') };
  const { body: textField } = await world.admin.api.post<{ id: number }>(fields, text);
  const list = { typeId: 6, name: world.uniqueName('Field'), items: [world.uniqueName('Item')] };
  const { body: listField } = await world.admin.api.post<{ id: number; items: { id: number }[] }>(
    fields,
    list,
  );
  const issue = await author.api.post<{ id: number }>('/issues', {
    ...newIssue(world, project),
    assigneeId: assignee.id,
    parentIssueId: project.issueId,
    categoryId: [await addSetting('categories')],
    versionId: [await addSetting('versions')],
    milestoneId: [await addSetting('versions')],
    attachmentId: [await world.addUpload(author)],
    [`customField_${textField.id}`]: world.uniqueName('Text'),
    [`customField_${listField.id}`]: listField.items.map(({ id }) => id),
  });
  await presenter.api.post('/stars', { issueId: issue.body.id });
  return issue.body.id;
}

async function anIssue(world: World, project: ProjectFixture): Promise<Names> {
  const { body } = await world.admin.api.post<{ id: number; issueKey: string }>(
    '/issues',
    newIssue(world, project),
  );
  return { issueIdOrKey: { id: body.id, key: body.issueKey } };
}

const OF_ISSUE: OperationCase = { right: EVERYONE, scope: 'project', names: theIssue };

export const issueOperations: OperationCases = {
  listIssues: {
    right: EVERYONE,
    scope: 'space',
    query: { 'expand[]': 'childIssueSummary' },
    list: { fill: (world, _project, count) => times(count, () => addUniqueIssue(world)) },
  },
  countIssues: { right: EVERYONE, scope: 'space' },
  addIssue: {
    right: CONTRIBUTORS,
    scope: 'space',
    body: async (world: World, person: Person) => {
      const project = await world.addProject();
      await world.join(project, person);
      return newIssue(world, project);
    },
  },
  getIssue: OF_ISSUE,
  updateIssue: {
    ...OF_ISSUE,
    right: DEVELOPERS,
    body: (world) => ({ summary: world.uniqueName('Issue') }),
  },
  importIssue: {
    right: ADMINISTRATORS,
    scope: 'space',
    body: async (world: World, person: Person) => ({
      ...newIssue(world, await world.addProject()),
      createdUserId: person.id,
      created: '2019-04-01T09:30:00Z',
    }),
  },
  importIssueUpdate: {
    ...OF_ISSUE,
    right: ADMINISTRATORS,
    body: (world) => ({ summary: world.uniqueName('Issue'), created: '2019-04-01T09:30:00Z' }),
  },
  deleteIssue: { ...OF_ISSUE, right: PROJECT_ADMINISTRATORS, names: anIssue },
};
