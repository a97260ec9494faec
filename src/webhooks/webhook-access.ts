import { RoleType } from '../access/role-type';
import { WebhookLoader } from './webhook.loader';

/** Who may see and change the webhooks of a project. */
export const ADMINISTRATORS = { roles: [RoleType.Administrator], orProjectAdministrator: true } as const;

/** The access to operations on a webhook. */
export const OF_WEBHOOK = { ...ADMINISTRATORS, resource: WebhookLoader } as const;

/** For operations that let content of every area leave: to the address of a webhook, or in a delivery that is read. */
export const WITH_CONTENT = { furtherScopes: ['read'] } as const;
