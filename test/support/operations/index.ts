import { documentedOperations, documentedResponse, openApiDocument } from '../conformance';
import { activityOperations } from './activities.operations';
import { attachmentOperations } from './attachments.operations';
import { auditLogOperations } from './audit-log.operations';
import { type TestedOperation } from './calls';
import { customFieldOperations } from './custom-fields.operations';
import { documentOperations } from './documents.operations';
import { gitRepositoryOperations } from './git-repositories.operations';
import { healthOperations } from './health.operations';
import { iconOperations } from './icons.operations';
import { identityProviderOperations } from './identity-providers.operations';
import { importOperations } from './imports.operations';
import { invitationOperations } from './invitations.operations';
import { issueAttachmentOperations } from './issue-attachments.operations';
import { issueCommentOperations } from './issue-comments.operations';
import { issueOperations } from './issues.operations';
import { notificationOperations } from './notifications.operations';
import { type OperationCase, type OperationCases } from './operation-case';
import { projectSettingsOperations } from './project-settings.operations';
import { projectOperations } from './projects.operations';
import { pullRequestOperations } from './pull-requests.operations';
import { spaceOperations } from './space.operations';
import { recentlyViewedOperations } from './recently-viewed.operations';
import { relatedIssueOperations } from './related-issues.operations';
import { sharedFileOperations } from './shared-files.operations';
import { starOperations } from './stars.operations';
import { teamOperations } from './teams.operations';
import { userOperations } from './users.operations';
import { watchingOperations } from './watchings.operations';
import { webhookOperations } from './webhooks.operations';
import { wikiOperations } from './wikis.operations';

export * from './calls';
export * from './operation-case';

/** Every operation of the service. */
export const OPERATIONS: OperationCases = merged(
  activityOperations,
  attachmentOperations,
  auditLogOperations,
  customFieldOperations,
  documentOperations,
  gitRepositoryOperations,
  healthOperations,
  iconOperations,
  identityProviderOperations,
  importOperations,
  invitationOperations,
  issueAttachmentOperations,
  issueCommentOperations,
  issueOperations,
  notificationOperations,
  projectSettingsOperations,
  projectOperations,
  pullRequestOperations,
  spaceOperations,
  recentlyViewedOperations,
  relatedIssueOperations,
  sharedFileOperations,
  starOperations,
  teamOperations,
  userOperations,
  watchingOperations,
  webhookOperations,
  wikiOperations,
);

function merged(...features: OperationCases[]): OperationCases {
  const all = new Map<string, OperationCase>();
  for (const [id, operation] of features.flatMap((cases) => Object.entries(cases))) {
    if (all.has(id)) throw new Error(`Two cases are called ${id}.`);
    all.set(id, operation);
  }
  return Object.fromEntries(all);
}

/** The documented operations; `credentials.e2e-spec.ts` covers the others. */
export const TESTED_OPERATIONS: TestedOperation[] = documentedOperations.flatMap(
  ({ method, path, operation }) => {
    const id = operation.operationId ?? '';
    const operationCase = OPERATIONS[id];
    if (!operationCase) return [];
    const status = Number(Object.keys(operation.responses).find((code) => code.startsWith('2')));
    const schema = documentedResponse(operation, status)?.content?.['application/json']?.schema;
    return {
      ...operationCase,
      id,
      method: method.toUpperCase(),
      path,
      status,
      takesBody: operation.requestBody !== undefined,
      takesFile: takesFile(operation),
      returnsList: schema !== undefined && 'type' in schema && schema.type === 'array',
      isPaged: (operation.parameters ?? []).some((one) => 'name' in one && one.name === 'count'),
      isOutsideBasePath: openApiDocument.paths[path]?.servers !== undefined,
    };
  },
);

function takesFile({ requestBody }: (typeof documentedOperations)[number]['operation']): boolean {
  return (
    requestBody !== undefined && 'content' in requestBody && !('application/json' in requestBody.content)
  );
}

/** Whether the outcome depends on the owner of the target. */
export const hasOwner = ({ right, scope }: OperationCase): boolean =>
  scope === 'personal' || right.ownerOnly !== undefined || right.orOwner !== undefined;
