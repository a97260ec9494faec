import { CONTRIBUTORS, type OperationCases, theIssue } from './operation-case';

export const issueOperations: OperationCases = {
  addIssueComment: {
    right: CONTRIBUTORS,
    scope: 'project',
    names: theIssue,
    body: () => ({ content: 'Text' }),
  },
  addIssueCommentNotifications: {
    right: { ...CONTRIBUTORS, ownerOnly: true },
    scope: 'project',
    names: async (world, project, owner) => ({
      ...theIssue(world, project),
      commentId: await world.addComment(project.issueThreadId, owner),
    }),
    body: ({ admin }) => ({ notifiedUserId: [admin.id] }),
  },
};
