/**
 * How a webhook is doing: `active`; `paused` since its circuit has opened, until an attempt succeeds; or `disabled`. Deliveries
 * are kept in each case.
 */
export const WEBHOOK_CONDITIONS = ['active', 'paused', 'disabled'] as const;

export type WebhookCondition = (typeof WEBHOOK_CONDITIONS)[number];
