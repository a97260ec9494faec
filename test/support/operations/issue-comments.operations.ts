import { CommentsService } from '../../../src/comments/comments.service';
import { NotificationReason } from '../../../src/notifications/notification-reason';
import { UsersService } from '../../../src/users/users.service';
import { type Person, type ProjectFixture, type World } from '../world';
import {
  CONTRIBUTORS,
  EVERYONE,
  type Names,
  type OperationCase,
  type OperationCases,
  PROJECT_ADMINISTRATORS,
  theIssue,
  times,
} from './operation-case';

async function aComment(world: World, project: ProjectFixture, author: Person): Promise<Names> {
  return { ...theIssue(world, project), commentId: await world.addComment(project.issueThreadId, author) };
}

/** Notifies a new member of a comment. */
async function notifySomebody(
  world: World,
  project: ProjectFixture,
  id: number,
  senderId: number,
): Promise<void> {
  const reader = await world.addMember(project);
  const comment = { id, projectId: project.id, threadId: project.issueThreadId, senderId };
  await world.write(async (manager) => {
    const users = await world.service(UsersService).findByIds([reader.id], manager);
    const reason = NotificationReason.IssueCommented;
    await world.service(CommentsService).notify(manager, comment, [...users.values()], reason);
  });
}

const OF_ISSUE: OperationCase = { right: EVERYONE, scope: 'project', names: theIssue };
const OF_COMMENT: OperationCase = { ...OF_ISSUE, names: aComment };
const OF_AUTHOR: OperationCase = { ...OF_COMMENT, right: { ...CONTRIBUTORS, ownerOnly: true } };

export const issueCommentOperations: OperationCases = {
  listIssueComments: {
    ...OF_ISSUE,
    list: {
      fill: (world, project, count) =>
        times(count, async () => {
          const author = await world.addMember(project);
          const id = await world.addComment(project.issueThreadId, author);
          await notifySomebody(world, project, id, author.id);
        }),
    },
  },
  addIssueComment: { ...OF_ISSUE, right: CONTRIBUTORS, body: () => ({ content: 'Text' }) },
  countIssueComments: OF_ISSUE,
  getIssueComment: OF_COMMENT,
  updateIssueComment: { ...OF_AUTHOR, body: () => ({ content: 'Text' }) },
  deleteIssueComment: {
    ...OF_COMMENT,
    right: { ...PROJECT_ADMINISTRATORS, orOwner: CONTRIBUTORS.roles },
  },
  listIssueCommentNotifications: {
    ...OF_COMMENT,
    list: {
      fill: (world, project, count, { commentId }) =>
        times(count, () => notifySomebody(world, project, commentId as number, world.admin.id)),
    },
  },
  addIssueCommentNotifications: { ...OF_AUTHOR, body: ({ admin }) => ({ notifiedUserId: [admin.id] }) },
};
