import { CommentsService } from '../../../src/comments/comments.service';
import { insertRow } from '../../../src/database/sql/rows';
import { Notification } from '../../../src/notifications/entities/notification.entity';
import { NotificationReason } from '../../../src/notifications/notification-reason';
import { UsersService } from '../../../src/users/users.service';
import { type World } from '../world';
import { EVERYONE, type OperationCase, type OperationCases, times } from './operation-case';

/** Notifies a user of a comment in a new project, alternately on its issue and its pull request. */
async function notify(world: World, userId: number, number: number): Promise<void> {
  const project = await world.addProject();
  const author = await world.addMember(project);
  const [threadId, reason] =
    number % 2 === 0
      ? [project.issueThreadId, NotificationReason.IssueCommented]
      : [project.pullRequestThreadId, NotificationReason.PullRequestCommented];
  const id = await world.addComment(threadId, author);
  const comment = { id, projectId: project.id, threadId, senderId: author.id };
  await world.write(async (manager) => {
    const users = await world.service(UsersService).findByIds([userId], manager);
    await world.service(CommentsService).notify(manager, comment, [...users.values()], reason);
  });
}

const OF_CALLER: OperationCase = { right: EVERYONE, scope: 'space' };

export const notificationOperations: OperationCases = {
  listNotifications: {
    ...OF_CALLER,
    list: {
      fill: (world, _project, count) => times(count, (number) => notify(world, world.admin.id, number)),
    },
  },
  countNotifications: OF_CALLER,
  markNotificationsAsRead: OF_CALLER,
  markNotificationAsRead: {
    right: EVERYONE,
    scope: 'personal',
    // Without a project, so that memberships do not matter.
    names: async (world, _project, owner) => ({
      notificationId: await world.write((manager) =>
        insertRow(manager, Notification, {
          projectId: null,
          threadId: null,
          commentId: null,
          userId: owner.id,
          senderId: owner.id,
          reason: NotificationReason.Other,
          alreadyRead: false,
          resourceAlreadyRead: false,
          created: Date.now(),
        }),
      ),
    }),
  },
};
