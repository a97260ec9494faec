import { comment, disable } from '../webhooks';
import { type ProjectFixture, type World } from '../world';
import {
  type Names,
  type OperationCase,
  type OperationCases,
  PROJECT_ADMINISTRATORS,
  theProject,
  times,
} from './operation-case';

/** An IP address, because a host name would be looked up each time. */
const HOOK_URL = 'http://127.0.0.1:9/';

const pathOfAll = ({ key }: ProjectFixture): string => `/projects/${key}/webhooks`;

async function aWebhook({ admin }: World, project: ProjectFixture) {
  const fields = { name: 'Chat', hookUrl: HOOK_URL, allEvent: true };
  const { body } = await admin.api.post<{ id: number }>(pathOfAll(project), fields);
  return { projectIdOrKey: project, webhookId: body.id };
}

async function aDelivery(world: World, project: ProjectFixture): Promise<Names> {
  const names = await aWebhook(world, project);
  const test = `${pathOfAll(project)}/${names.webhookId}/test`;
  const { body } = await world.admin.api.post<{ id: number }>(test, {});
  return { ...names, deliveryId: body.id };
}

const OF_WEBHOOK: OperationCase = { right: PROJECT_ADMINISTRATORS, scope: 'project', names: aWebhook };
const OF_DELIVERY: OperationCase = { ...OF_WEBHOOK, names: aDelivery };

export const webhookOperations: OperationCases = {
  listWebhooks: {
    ...OF_WEBHOOK,
    names: theProject,
    list: {
      fill: (world, project, count) =>
        times(count, async () => {
          const { api } = await world.addMember(project, undefined, true);
          await api.post(pathOfAll(project), { name: 'Chat', hookUrl: HOOK_URL });
        }),
    },
  },
  addWebhook: {
    ...OF_WEBHOOK,
    names: theProject,
    body: () => ({ name: 'Chat', hookUrl: HOOK_URL }),
  },
  getWebhook: OF_WEBHOOK,
  updateWebhook: { ...OF_WEBHOOK, body: (world) => ({ name: world.uniqueName('Chat'), hookUrl: HOOK_URL }) },
  deleteWebhook: OF_WEBHOOK,
  getWebhookSecret: OF_WEBHOOK,
  rotateWebhookSecret: OF_WEBHOOK,
  testWebhook: { ...OF_WEBHOOK, body: () => ({ activityTypeId: 1 }) },
  enableWebhook: OF_WEBHOOK,
  listWebhookDeliveries: {
    ...OF_WEBHOOK,
    list: {
      fill: async (world, project, count, { webhookId }) => {
        await disable(world, { id: webhookId as number });
        await times(count, () => comment(world.admin, project));
      },
    },
  },
  redeliverWebhookDeliveries: { ...OF_WEBHOOK, body: () => ({ since: '2020-01-01T00:00:00Z' }) },
  getWebhookDelivery: OF_DELIVERY,
  redeliverWebhookDelivery: OF_DELIVERY,
};
