import { type ActivityType } from '../../src/activities/activity-type';
import { ADMIN_KEY, BASE_PATH } from './processes';
import { PROJECT_KEY } from './seed';

const TIMEOUT_MS = 10_000;

/** Adds a webhook for some activity types, or for all, and returns its id. */
export async function addWebhook(
  origin: string,
  hookUrl: string,
  activityTypeIds?: readonly ActivityType[],
): Promise<number> {
  const response = await fetch(`${origin}${BASE_PATH}/projects/${PROJECT_KEY}/webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': ADMIN_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Receiver',
      hookUrl,
      allEvent: activityTypeIds === undefined,
      activityTypeIds: activityTypeIds ?? [],
    }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const body = (await response.json()) as { id: number };
  if (response.status !== 201) throw new Error(`The webhook was refused: ${JSON.stringify(body)}`);
  return body.id;
}
