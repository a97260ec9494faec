import { AttachmentLinksService } from '../../../src/attachments/attachment-links.service';
import { CommentsService } from '../../../src/comments/comments.service';
import { IssuesService } from '../../../src/issues/issues.service';
import { NotificationReason } from '../../../src/notifications/notification-reason';
import { PULL_REQUEST_FILES } from '../../../src/pull-requests/attachments/pull-request-files';
import { PullRequestsService } from '../../../src/pull-requests/pull-requests.service';
import { StarsService } from '../../../src/stars/stars.service';
import { RoleType } from '../../../src/access/role-type';
import { UsersService } from '../../../src/users/users.service';
import { type ProjectFixture, pullRequestComments, type World } from '../world';
import { theContents, theRepository } from './git-repositories.operations';
import {
  DEVELOPERS,
  type Names,
  type OperationCase,
  type OperationCases,
  thePullRequest,
  times,
} from './operation-case';

const OF_REPOSITORY: OperationCase = { right: DEVELOPERS, scope: 'project', names: theRepository };
const OF_PULL_REQUEST: OperationCase = { right: DEVELOPERS, scope: 'project', names: thePullRequest };

async function anAttachment(world: World, project: ProjectFixture): Promise<Names> {
  const attachmentId = await world.addUpload(world.admin);
  const comment = { content: 'See the file', attachmentId: [attachmentId] };
  await world.admin.api.post(pullRequestComments(project), comment);
  return { ...thePullRequest(world, project), attachmentId };
}

const OF_CONTENTS: OperationCase = {
  ...OF_PULL_REQUEST,
  names: async (world, project) => {
    await theContents(world, project);
    return thePullRequest(world, project);
  },
  withGit: true,
};

const OF_ATTACHMENT: OperationCase = { ...OF_PULL_REQUEST, names: anAttachment };

/** Adds a pull request with everything that a list of pull requests reads. */
async function addFullPullRequest(world: World, project: ProjectFixture): Promise<void> {
  const author = await world.addMember(project);
  const assignee = await world.addMember(project);
  const attachmentId = await world.addUpload(author);
  await world.write(async (manager) => {
    const issue = await world.service(IssuesService).add(manager, {
      projectId: project.id,
      issueTypeId: project.issueTypeId,
      statusId: project.statusId,
      summary: 'An issue',
      description: '',
      createdUserId: author.id,
    });
    const { id, threadId } = await world.service(PullRequestsService).add(manager, {
      projectId: project.id,
      repositoryId: project.repositoryId,
      summary: 'A pull request',
      description: '',
      base: 'main',
      branch: 'feature',
      issueId: issue.id,
      assigneeId: assignee.id,
      createdUserId: author.id,
    });
    const caller = { id: author.id, roleType: RoleType.NormalUser };
    await world
      .service(AttachmentLinksService)
      .attach(manager, PULL_REQUEST_FILES, id, caller, [attachmentId]);
    const shown = { url: 'https://example.com/', title: 'A pull request' };
    const star = { ...shown, presenterId: assignee.id, authorId: author.id, projectId: project.id };
    await world.service(StarsService).add(manager, { threadId }, star);
  });
}

export const pullRequestOperations: OperationCases = {
  listPullRequests: {
    ...OF_REPOSITORY,
    list: { fill: (world, project, count) => times(count, () => addFullPullRequest(world, project)) },
  },
  countPullRequests: OF_REPOSITORY,
  addPullRequest: {
    ...OF_REPOSITORY,
    body: () => ({ summary: 'A change', description: '', base: 'main', branch: 'change' }),
  },
  getPullRequest: OF_PULL_REQUEST,
  updatePullRequest: {
    ...OF_PULL_REQUEST,
    body: (world) => ({ summary: world.uniqueName('Summary') }),
  },
  addPullRequestComment: { ...OF_PULL_REQUEST, body: () => ({ content: 'Text' }) },
  countPullRequestComments: OF_PULL_REQUEST,
  listPullRequestComments: {
    ...OF_PULL_REQUEST,
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
    ...OF_PULL_REQUEST,
    right: { ...DEVELOPERS, ownerOnly: true },
    names: async (world, project, owner) => ({
      ...thePullRequest(world, project),
      commentId: await world.addComment(project.pullRequestThreadId, owner),
    }),
    body: () => ({ content: 'Text' }),
  },
  listPullRequestAttachments: {
    ...OF_PULL_REQUEST,
    list: {
      fill: (world, project, count) =>
        times(count, async () => {
          const author = await world.addMember(project);
          const attachmentId = [await world.addUpload(author)];
          await author.api.post(pullRequestComments(project), { content: 'See the file', attachmentId });
        }),
    },
  },
  listPullRequestCommits: OF_CONTENTS,
  listPullRequestFiles: OF_CONTENTS,
  getPullRequestDiff: OF_CONTENTS,
  getPullRequestPatch: OF_CONTENTS,
  downloadPullRequestAttachment: OF_ATTACHMENT,
  deletePullRequestAttachment: OF_ATTACHMENT,
};
