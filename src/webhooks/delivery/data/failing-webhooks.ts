import { type StatementRunner } from '../../../database/statements';

/** Numbers of all webhooks and of those that do not reach their receivers. */
export interface FailingWebhooks {
  webhooks: number;
  disabled: number;
  failing: number;
}

/** Counts all webhooks, disabled ones, and enabled ones with a failed last attempt. */
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
