/**
 * Conditions of a webhook: `active`; `paused` from the opening of its circuit until an attempt succeeds; or `disabled`.
 * Deliveries are kept in each case.
 */
export const WEBHOOK_CONDITIONS = ['active', 'paused', 'disabled'] as const;

export type WebhookCondition = (typeof WEBHOOK_CONDITIONS)[number];
