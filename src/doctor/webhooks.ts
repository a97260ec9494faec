import { type Snapshot } from '../database/snapshot/snapshot';
import { countFailingWebhooks } from '../webhooks/delivery/data/failing-webhooks';
import { counted } from '../quantities';
import { type Finding, ok, warning } from './finding';

/** Checks whether webhooks reach their receivers. */
export async function* checkWebhooks(snapshot: Snapshot): AsyncGenerator<Finding> {
  const { webhooks, disabled, failing } = await countFailingWebhooks(snapshot);
  yield disabled + failing === 0
    ? ok('webhooks', `${counted(webhooks, 'webhook')}, none of which fails.`)
    : warning(
        'webhooks',
        `Of ${counted(webhooks, 'webhook')}, ${failing} fail and ${disabled} are disabled.`,
        'Look at their deliveries: GET /projects/{projectIdOrKey}/webhooks/{webhookId}/deliveries.',
      );
}
