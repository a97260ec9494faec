import { type StatementRunner } from '../../../database/statements';

/** Webhooks that do not reach their receivers. */
export interface FailingWebhooks {
  webhooks: number;
  disabled: number;
  failing: number;
}

/** Counts webhooks, and those whose last attempt has failed or that are disabled. */
export async function countFailingWebhooks(runner: StatementRunner): Promise<FailingWebhooks> {
  const [row] = await runner.query<[Record<keyof FailingWebhooks, number | string>]>(
    `SELECT COUNT(*) AS webhooks, COALESCE(SUM(CASE WHEN enabled = 0 THEN 1 ELSE 0 END), 0) AS disabled,
            COALESCE(SUM(CASE WHEN enabled = 1 AND failures > 0 THEN 1 ELSE 0 END), 0) AS failing
       FROM webhook_health`,
  );
  return {
    webhooks: Number(row.webhooks),
    disabled: Number(row.disabled),
    failing: Number(row.failing),
  };
}
