import { IssueStatus } from '../../../src/project-settings/entities/issue-status.entity';
import { insertRow } from '../../../src/database/sql/rows';
import { type ProjectFixture, type World } from '../world';
import {
  DEVELOPERS,
  EVERYONE,
  type Names,
  type OperationCase,
  type OperationCases,
  PROJECT_ADMINISTRATORS,
  theProject,
  times,
} from './operation-case';

const newSetting = (world: World) => ({ name: world.uniqueName('Name'), color: '#123456' });
const newName = (world: World) => ({ name: world.uniqueName('Name') });

/** Adds a setting to a project, and returns its id. */
async function add(world: World, project: ProjectFixture, path: string, body: object): Promise<number> {
  const answer = await world.admin.api.post<{ id: number }>(`/projects/${project.key}/${path}`, body);
  return answer.body.id;
}

const anIssueType = async (world: World, project: ProjectFixture): Promise<Names> => ({
  projectIdOrKey: project,
  issueTypeId: await add(world, project, 'issueTypes', newSetting(world)),
});

const aStatus = async (world: World, project: ProjectFixture): Promise<Names> => ({
  projectIdOrKey: project,
  statusId: await add(world, project, 'statuses', newSetting(world)),
});

const aCategory = async (world: World, project: ProjectFixture): Promise<Names> => ({
  projectIdOrKey: project,
  categoryId: await add(world, project, 'categories', newName(world)),
});

const aVersion = async (world: World, project: ProjectFixture): Promise<Names> => ({
  projectIdOrKey: project,
  versionId: await add(world, project, 'versions', newName(world)),
});

/** Exceeds the limit, which is below the count that tests need. */
const fillStatuses = (world: World, project: ProjectFixture, count: number): Promise<unknown> =>
  times(count, async (number) => {
    const name = world.uniqueName('Status');
    await world.write((manager) =>
      insertRow(manager, IssueStatus, {
        projectId: project.id,
        name,
        nameKey: name,
        color: `#0000${String(number).padStart(2, '0')}`,
        displayOrder: 3000 + number,
        standard: null,
      }),
    );
  });

const OF_PROJECT = { scope: 'project', names: theProject } as const;
const OF_ISSUE_TYPE: OperationCase = { right: DEVELOPERS, scope: 'project', names: anIssueType };
const OF_STATUS: OperationCase = {
  right: PROJECT_ADMINISTRATORS,
  scope: 'project',
  names: aStatus,
  freshProject: true,
};
const OF_CATEGORY: OperationCase = { right: DEVELOPERS, scope: 'project', names: aCategory };
const OF_VERSION: OperationCase = { right: DEVELOPERS, scope: 'project', names: aVersion };

export const projectSettingsOperations: OperationCases = {
  listIssueTypes: {
    ...OF_PROJECT,
    right: EVERYONE,
    list: {
      fill: (world, project, count) =>
        times(count, () =>
          add(world, project, 'issueTypes', {
            ...newSetting(world),
            templateSummary: world.uniqueName('Summary'),
            templateDescription: world.uniqueName('Description'),
          }),
        ),
    },
  },
  addIssueType: { ...OF_ISSUE_TYPE, names: theProject, body: newSetting },
  updateIssueType: { ...OF_ISSUE_TYPE, body: newSetting },
  deleteIssueType: {
    ...OF_ISSUE_TYPE,
    body: (_world, _person, { issueTypeId }) => ({ substituteIssueTypeId: issueTypeId }),
  },
  listStatuses: { ...OF_PROJECT, right: EVERYONE, list: { fill: fillStatuses } },
  addStatus: { ...OF_STATUS, names: theProject, body: newSetting },
  updateStatus: { ...OF_STATUS, body: newSetting },
  updateStatusDisplayOrder: { ...OF_STATUS, names: theProject, body: () => ({ statusId: [1, 2, 3, 4] }) },
  deleteStatus: { ...OF_STATUS, body: () => ({ substituteStatusId: 1 }) },
  listCategories: {
    ...OF_PROJECT,
    right: EVERYONE,
    list: {
      fill: (world, project, count) => times(count, () => add(world, project, 'categories', newName(world))),
    },
  },
  addCategory: { ...OF_CATEGORY, names: theProject, body: newName },
  updateCategory: { ...OF_CATEGORY, body: newName },
  deleteCategory: OF_CATEGORY,
  listVersions: {
    ...OF_PROJECT,
    right: EVERYONE,
    list: {
      fill: (world, project, count) =>
        times(count, (number) =>
          add(world, project, 'versions', {
            ...newName(world),
            description: world.uniqueName('Description'),
            startDate: `2026-01-${String(number + 10)}`,
          }),
        ),
    },
  },
  addVersion: { ...OF_VERSION, names: theProject, body: newName },
  updateVersion: { ...OF_VERSION, body: newName },
  deleteVersion: OF_VERSION,
  listPriorities: { right: EVERYONE, scope: 'space', isFixedList: true },
  listResolutions: { right: EVERYONE, scope: 'space', isFixedList: true },
};
