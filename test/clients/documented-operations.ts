/**
 * The operations of the Backlog API v2, as its public documentation listed them in August 2026: 152, without OAuth and without those
 * that are no longer documented. Paths are below `/api/v2`.
 */
export const DOCUMENTED_OPERATIONS = [
  // The space
  'GET /space',
  'GET /space/activities',
  'GET /activities/{activityId}',
  'GET /space/image',
  'GET /space/notification',
  'PUT /space/notification',
  'GET /space/diskUsage',
  'POST /space/attachment',
  'GET /space/licence',
  'GET /rateLimit',
  // Users, and what is their own
  'GET /users',
  'GET /users/{userId}',
  'GET /users/myself',
  'GET /users/{userId}/icon',
  'GET /users/{userId}/activities',
  'GET /users/{userId}/stars',
  'GET /users/{userId}/stars/count',
  'GET /users/{userId}/watchings',
  'GET /users/{userId}/watchings/count',
  'GET /users/myself/recentlyViewedIssues',
  'POST /users/myself/recentlyViewedIssues',
  'GET /users/myself/recentlyViewedProjects',
  'GET /users/myself/recentlyViewedWikis',
  'POST /users/myself/recentlyViewedWikis',
  // Teams
  'GET /teams',
  'GET /teams/{teamId}',
  'GET /teams/{teamId}/icon',
  // Projects
  'GET /projects',
  'POST /projects',
  'GET /projects/{projectIdOrKey}',
  'PATCH /projects/{projectIdOrKey}',
  'DELETE /projects/{projectIdOrKey}',
  'GET /projects/{projectIdOrKey}/image',
  'GET /projects/{projectIdOrKey}/activities',
  'GET /projects/{projectIdOrKey}/diskUsage',
  'GET /projects/{projectIdOrKey}/users',
  'POST /projects/{projectIdOrKey}/users',
  'DELETE /projects/{projectIdOrKey}/users',
  'GET /projects/{projectIdOrKey}/administrators',
  'POST /projects/{projectIdOrKey}/administrators',
  'DELETE /projects/{projectIdOrKey}/administrators',
  'GET /projects/{projectIdOrKey}/teams',
  'POST /projects/{projectIdOrKey}/teams',
  'DELETE /projects/{projectIdOrKey}/teams',
  // Issue types, statuses, categories and versions
  'GET /projects/{projectIdOrKey}/issueTypes',
  'POST /projects/{projectIdOrKey}/issueTypes',
  'PATCH /projects/{projectIdOrKey}/issueTypes/{issueTypeId}',
  'DELETE /projects/{projectIdOrKey}/issueTypes/{issueTypeId}',
  'GET /projects/{projectIdOrKey}/statuses',
  'POST /projects/{projectIdOrKey}/statuses',
  'PATCH /projects/{projectIdOrKey}/statuses/updateDisplayOrder',
  'PATCH /projects/{projectIdOrKey}/statuses/{statusId}',
  'DELETE /projects/{projectIdOrKey}/statuses/{statusId}',
  'GET /projects/{projectIdOrKey}/categories',
  'POST /projects/{projectIdOrKey}/categories',
  'PATCH /projects/{projectIdOrKey}/categories/{categoryId}',
  'DELETE /projects/{projectIdOrKey}/categories/{categoryId}',
  'GET /projects/{projectIdOrKey}/versions',
  'POST /projects/{projectIdOrKey}/versions',
  'PATCH /projects/{projectIdOrKey}/versions/{versionId}',
  'DELETE /projects/{projectIdOrKey}/versions/{versionId}',
  // Custom fields
  'GET /projects/{projectIdOrKey}/customFields',
  'POST /projects/{projectIdOrKey}/customFields',
  'PATCH /projects/{projectIdOrKey}/customFields/{customFieldId}',
  'DELETE /projects/{projectIdOrKey}/customFields/{customFieldId}',
  'POST /projects/{projectIdOrKey}/customFields/{customFieldId}/items',
  'PATCH /projects/{projectIdOrKey}/customFields/{customFieldId}/items/{itemId}',
  'DELETE /projects/{projectIdOrKey}/customFields/{customFieldId}/items/{itemId}',
  // Shared files
  'GET /projects/{projectIdOrKey}/files/metadata/{path}',
  'GET /projects/{projectIdOrKey}/files/{sharedFileId}',
  // Webhooks
  'GET /projects/{projectIdOrKey}/webhooks',
  'POST /projects/{projectIdOrKey}/webhooks',
  'GET /projects/{projectIdOrKey}/webhooks/{webhookId}',
  'PATCH /projects/{projectIdOrKey}/webhooks/{webhookId}',
  'DELETE /projects/{projectIdOrKey}/webhooks/{webhookId}',
  // Issues
  'GET /issues',
  'GET /issues/count',
  'POST /issues',
  'GET /issues/{issueIdOrKey}',
  'PATCH /issues/{issueIdOrKey}',
  'DELETE /issues/{issueIdOrKey}',
  'GET /issues/{issueIdOrKey}/attachments',
  'GET /issues/{issueIdOrKey}/attachments/{attachmentId}',
  'DELETE /issues/{issueIdOrKey}/attachments/{attachmentId}',
  'GET /issues/{issueIdOrKey}/participants',
  'GET /issues/{issueIdOrKey}/sharedFiles',
  'POST /issues/{issueIdOrKey}/sharedFiles',
  'DELETE /issues/{issueIdOrKey}/sharedFiles/{sharedFileId}',
  'GET /issues/{issueIdOrKey}/relatedIssues',
  'POST /issues/{issueIdOrKey}/relatedIssues',
  'DELETE /issues/{issueIdOrKey}/relatedIssues/{relatedIssueId}',
  // Comments on issues
  'GET /issues/{issueIdOrKey}/comments',
  'POST /issues/{issueIdOrKey}/comments',
  'GET /issues/{issueIdOrKey}/comments/count',
  'GET /issues/{issueIdOrKey}/comments/{commentId}',
  'PATCH /issues/{issueIdOrKey}/comments/{commentId}',
  'DELETE /issues/{issueIdOrKey}/comments/{commentId}',
  'GET /issues/{issueIdOrKey}/comments/{commentId}/notifications',
  'POST /issues/{issueIdOrKey}/comments/{commentId}/notifications',
  // Wiki pages
  'GET /wikis',
  'GET /wikis/count',
  'GET /wikis/tags',
  'POST /wikis',
  'GET /wikis/{wikiId}',
  'PATCH /wikis/{wikiId}',
  'DELETE /wikis/{wikiId}',
  'GET /wikis/{wikiId}/attachments',
  'POST /wikis/{wikiId}/attachments',
  'GET /wikis/{wikiId}/attachments/{attachmentId}',
  'DELETE /wikis/{wikiId}/attachments/{attachmentId}',
  'GET /wikis/{wikiId}/sharedFiles',
  'POST /wikis/{wikiId}/sharedFiles',
  'DELETE /wikis/{wikiId}/sharedFiles/{sharedFileId}',
  'GET /wikis/{wikiId}/history',
  'GET /wikis/{wikiId}/stars',
  // Stars
  'POST /stars',
  'DELETE /stars/{starId}',
  // Notifications
  'GET /notifications',
  'GET /notifications/count',
  'POST /notifications/markAsRead',
  'POST /notifications/{notificationId}/markAsRead',
  // Watchings
  'POST /watchings',
  'GET /watchings/{watchingId}',
  'PATCH /watchings/{watchingId}',
  'DELETE /watchings/{watchingId}',
  'POST /watchings/{watchingId}/markAsRead',
  // Values shared by all projects
  'GET /priorities',
  'GET /resolutions',
  // Documents
  'GET /documents',
  'GET /documents/count',
  'GET /documents/tree',
  'GET /documents/{documentId}',
  'POST /documents',
  'DELETE /documents/{documentId}',
  'GET /documents/{documentId}/attachments/{attachmentId}',
  'GET /documents/{documentId}/comments',
  'POST /documents/{documentId}/tags',
  'DELETE /documents/{documentId}/tags',
  // Repositories and pull requests
  'GET /projects/{projectIdOrKey}/git/repositories',
  'GET /projects/{projectIdOrKey}/git/repositories/{repoIdOrName}',
  'GET /projects/{projectIdOrKey}/git/repositories/{repoIdOrName}/pullRequests',
  'GET /projects/{projectIdOrKey}/git/repositories/{repoIdOrName}/pullRequests/count',
  'POST /projects/{projectIdOrKey}/git/repositories/{repoIdOrName}/pullRequests',
  'GET /projects/{projectIdOrKey}/git/repositories/{repoIdOrName}/pullRequests/{number}',
  'PATCH /projects/{projectIdOrKey}/git/repositories/{repoIdOrName}/pullRequests/{number}',
  'GET /projects/{projectIdOrKey}/git/repositories/{repoIdOrName}/pullRequests/{number}/comments',
  'POST /projects/{projectIdOrKey}/git/repositories/{repoIdOrName}/pullRequests/{number}/comments',
  'GET /projects/{projectIdOrKey}/git/repositories/{repoIdOrName}/pullRequests/{number}/comments/count',
  'PATCH /projects/{projectIdOrKey}/git/repositories/{repoIdOrName}/pullRequests/{number}/comments/{commentId}',
  'GET /projects/{projectIdOrKey}/git/repositories/{repoIdOrName}/pullRequests/{number}/attachments',
  'GET /projects/{projectIdOrKey}/git/repositories/{repoIdOrName}/pullRequests/{number}/attachments/{attachmentId}',
  'DELETE /projects/{projectIdOrKey}/git/repositories/{repoIdOrName}/pullRequests/{number}/attachments/{attachmentId}',
] as const;

/** Operations that are no longer documented, but that clients still have. */
export const LEGACY_OPERATIONS = [
  'POST /users',
  'PATCH /users/{userId}',
  'DELETE /users/{userId}',
  'POST /teams',
  'PATCH /teams/{teamId}',
  'DELETE /teams/{teamId}',
] as const;

/** Operations that were never documented, but that the family's Java client uses. */
export const UNDOCUMENTED_OPERATIONS = [
  'GET /git/repositories',
  'POST /users/{userId}/watchings/markAsChecked',
] as const;

/** Operations that were never documented, but that the family's migration tools use. */
export const IMPORT_OPERATIONS = [
  'POST /issues/import',
  'PATCH /issues/{issueIdOrKey}/import',
  'DELETE /issues/{issueIdOrKey}/attachments/import/{attachmentId}',
  'POST /wikis/import',
] as const;

export type FamilyOperation = (typeof DOCUMENTED_OPERATIONS)[number] | (typeof LEGACY_OPERATIONS)[number];

interface Pattern {
  operation: FamilyOperation;
  expression: RegExp;
}

/** Fewest parameters first: `…/statuses/updateDisplayOrder` before `…/statuses/{statusId}`. */
const PATTERNS: readonly Pattern[] = [...DOCUMENTED_OPERATIONS, ...LEGACY_OPERATIONS]
  .toSorted((one, other) => parametersIn(one) - parametersIn(other))
  .map((operation) => ({
    operation,
    // The path of a folder of shared files may contain several segments.
    expression: new RegExp(`^${operation.replace('{path}', '.*').replaceAll(/{\w+}/g, '[^/]+')}$`),
  }));

/** Returns the operation of a request; undefined if the family does not have it. */
export function familyOperationOf(method: string, url: string): FamilyOperation | undefined {
  const path = url.replace(/^.*\/api\/v2/, '').replace(/\?.*$/, '');
  return PATTERNS.find(({ expression }) => expression.test(`${method} ${path}`))?.operation;
}

/** Operations whose paths differ only in the names of parameters are the same. */
export const withoutNames = (operation: string): string => operation.replaceAll(/{\w+}/g, '{}');

function parametersIn(operation: string): number {
  return operation.split('{').length;
}
