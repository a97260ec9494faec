import { type AuditChange, auditChanges, secretChange } from '../audit-log/audit-changes';
import { parseUrl } from '../config/parse-url';
import { type WebhookRow } from './data/webhook.repository';

const FIELDS = ['name', 'description', 'origin', 'allEvent', 'activityTypeIds'] as const;

/**
 * Returns the changes of a webhook for the audit log. Paths and queries of addresses are omitted, because many contain a token.
 */
export function webhookChanges(before: Partial<WebhookRow>, after: Partial<WebhookRow>): AuditChange[] {
  const changes = auditChanges(toAudited(before), toAudited(after), FIELDS);
  const isPathAlone = before.hookUrl !== after.hookUrl && !changes.some(({ field }) => field === 'origin');
  return isPathAlone ? [...changes, secretChange('hookUrl')] : changes;
}

/** An imported webhook may have no address that can be read. */
const toAudited = ({ hookUrl, ...row }: Partial<WebhookRow>): Record<string, unknown> => ({
  ...row,
  origin: hookUrl === undefined ? undefined : (parseUrl(hookUrl)?.origin ?? ''),
});
