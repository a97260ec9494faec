import { type ProjectFixture, type World } from '../world';
import { addUniqueIssue } from './issues.operations';
import {
  CONTRIBUTORS,
  EVERYONE,
  type Names,
  type OperationCase,
  type OperationCases,
  theIssue,
  times,
} from './operation-case';

/** Relates the project's issue to another one. */
async function relate(world: World, { issueKey }: ProjectFixture, targetIssueId: number): Promise<void> {
  await world.admin.api.post(`/issues/${issueKey}/relatedIssues`, { targetIssueId });
}

async function anotherIssue(world: World, { id, issueTypeId }: ProjectFixture): Promise<number> {
  const issue = { projectId: id, summary: world.uniqueName('Issue'), issueTypeId, priorityId: 3 };
  return (await world.admin.api.post<{ id: number }>('/issues', issue)).body.id;
}

async function aRelatedIssue(world: World, project: ProjectFixture): Promise<Names> {
  const targetIssueId = await anotherIssue(world, project);
  await relate(world, project, targetIssueId);
  return { ...theIssue(world, project), targetIssueId };
}

const OF_ISSUE: OperationCase = { right: EVERYONE, scope: 'project', names: theIssue };

export const relatedIssueOperations: OperationCases = {
  listRelatedIssues: {
    ...OF_ISSUE,
    list: {
      fill: (world, project, count) =>
        times(count, async () => relate(world, project, await addUniqueIssue(world))),
    },
  },
  addRelatedIssue: {
    ...OF_ISSUE,
    right: CONTRIBUTORS,
    body: async (world, _person, project) => ({ targetIssueId: await anotherIssue(world, project) }),
  },
  deleteRelatedIssue: { ...OF_ISSUE, right: CONTRIBUTORS, names: aRelatedIssue },
};
