import { NotificationReason } from '../../../src/comments/notification-reason';
import { CommentsService } from '../../../src/comments/comments.service';
import { UsersService } from '../../../src/users/users.service';
import { DEVELOPERS, type OperationCases, thePullRequest, times } from './operation-case';

export const pullRequestOperations: OperationCases = {
  listPullRequestComments: {
    right: DEVELOPERS,
    scope: 'project',
    names: thePullRequest,
    list: {
      fill: (world, project, count) =>
        times(count, async () => {
          const [author, reader] = [await world.addMember(project), await world.addMember(project)];
          const threadId = project.pullRequestThreadId;
          const id = await world.addComment(threadId, author);
          const comment = { id, projectId: project.id, threadId, senderId: author.id };
          await world.write(async (manager) => {
            const users = await world.service(UsersService).findByIds([reader.id], manager);
            const reason = NotificationReason.PullRequestCommented;
            await world.service(CommentsService).notify(manager, comment, [...users.values()], reason);
          });
        }),
    },
  },
  updatePullRequestComment: {
    right: { ...DEVELOPERS, ownerOnly: true },
    scope: 'project',
    names: async (world, project, owner) => ({
      ...thePullRequest(world, project),
      commentId: await world.addComment(project.pullRequestThreadId, owner),
    }),
    body: () => ({ content: 'Text' }),
  },
};
