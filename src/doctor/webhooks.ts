import { type Snapshot } from '../database/snapshot/snapshot';
import { toTimestamp } from '../http/request/timestamp';
import {
  countFailingWebhooks,
  type FailingWebhook,
  findFailingWebhooks,
} from '../webhooks/data/failing-webhooks';
import { counted } from '../quantities';
import { type Finding, ok, warning } from './finding';
import { printable } from './printable';

/** Maximum number of webhooks that are named, one a line. */
const MAX_NAMED = 20;

/** Checks whether webhooks reach their receivers, and names those that do not. */
export async function* checkWebhooks(snapshot: Snapshot): AsyncGenerator<Finding> {
  const { webhooks, disabled, failing } = await countFailingWebhooks(snapshot);
  if (disabled + failing === 0) {
    yield ok('webhooks', `${counted(webhooks, 'webhook')}, none of which fails.`);
    return;
  }
  const named = await findFailingWebhooks(snapshot, MAX_NAMED);
  const rest = disabled + failing - named.length;
  yield warning(
    'webhooks',
    `Of ${counted(webhooks, 'webhook')}, ${failing} fail and ${disabled} are disabled` +
      (rest > 0 ? `; the first ${named.length} of them follow.` : '.'),
    'Look at their deliveries: GET /projects/{projectIdOrKey}/webhooks/{webhookId}/deliveries.',
  );
  for (const webhook of named) yield describe(webhook);
}

function describe(webhook: FailingWebhook): Finding {
  const { id, projectKey, enabled, failures, failingSince, pausedUntil } = webhook;
  const state = enabled
    ? `fails (${counted(failures, 'failure')} in a row)${pausedUntil > 0 ? `, paused until ${toTimestamp(pausedUntil)}` : ''}`
    : 'is disabled';
  const since = failingSince === null ? '' : `, failing since ${toTimestamp(failingSince)}`;
  const reason = webhook.reason === '' ? '' : ` ${printable(webhook.reason)}`;
  const path = `/projects/${projectKey}/webhooks/${id}`;
  return warning(
    `webhook ${id}`,
    `${JSON.stringify(printable(webhook.name))} of ${projectKey} ${state}${since}.${reason}`,
    enabled
      ? `Look at its deliveries: GET ${path}/deliveries.`
      : `Repair its receiver, then send the pending deliveries: POST ${path}/enable.`,
  );
}
