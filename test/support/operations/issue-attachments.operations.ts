import { type Person, type ProjectFixture, type World } from '../world';
import {
  ADMINISTRATORS,
  CONTRIBUTORS,
  DEVELOPERS,
  EVERYONE,
  type Names,
  type OperationCase,
  type OperationCases,
  theIssue,
  times,
} from './operation-case';

async function attach(world: World, { issueKey }: ProjectFixture, person: Person): Promise<number> {
  const id = await world.addUpload(person);
  await person.api.post(`/issues/${issueKey}/comments`, { content: 'See the file', attachmentId: [id] });
  return id;
}

const OF_ISSUE: OperationCase = { right: EVERYONE, scope: 'project', names: theIssue };
const OF_FILE: OperationCase = {
  right: DEVELOPERS,
  scope: 'project',
  names: async (world, project): Promise<Names> => ({
    ...theIssue(world, project),
    attachmentId: await attach(world, project, world.admin),
  }),
};

export const issueAttachmentOperations: OperationCases = {
  listIssueAttachments: {
    ...OF_ISSUE,
    list: {
      fill: (world, project, count) =>
        times(count, async () => attach(world, project, await world.addMember(project))),
    },
  },
  downloadIssueAttachment: { ...OF_FILE, right: CONTRIBUTORS },
  deleteIssueAttachment: OF_FILE,
  importIssueAttachmentDeletion: {
    ...OF_FILE,
    right: ADMINISTRATORS,
    body: (_world, person) => ({ createdUserId: person.id, created: '2019-04-01T09:30:00Z' }),
  },
  listIssueParticipants: {
    ...OF_ISSUE,
    list: {
      fill: (world, project, count) =>
        times(count, async () => world.addComment(project.issueThreadId, await world.addMember(project))),
    },
  },
};
