import { quoted, type StatementRunner } from '../../database/sql/statements';
import { joinProjectKey, PROJECT_KEY_COLUMN } from '../../projects/data/project-key-sql';

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

/** A webhook that does not reach its receiver. */
export interface FailingWebhook {
  id: number;
  name: string;
  projectKey: string;
  enabled: boolean;
  failures: number;
  /** In milliseconds since 1970; null for a webhook that was disabled without a failure. */
  failingSince: number | null;
  /** End of its pause; 0 if it is not paused. */
  pausedUntil: number;
  reason: string;
}

/** Returns webhooks that are disabled or whose last attempt failed, the disabled ones first. */
export async function findFailingWebhooks(runner: StatementRunner, limit: number): Promise<FailingWebhook[]> {
  const rows = await runner.query<Record<keyof FailingWebhook, unknown>[]>(
    `SELECT w.id AS id, w.${quoted('name')} AS ${quoted('name')}, ${PROJECT_KEY_COLUMN}, h.enabled AS enabled,
            h.failures AS failures, h.failing_since AS failingSince, h.paused_until AS pausedUntil, h.reason AS reason
       FROM webhook_health h JOIN webhook w ON w.id = h.webhook_id ${joinProjectKey('w.project_id')}
      WHERE h.enabled = 0 OR h.failures > 0 ORDER BY h.enabled, h.webhook_id LIMIT ${limit}`,
  );
  return rows.map((row) => ({
    id: Number(row.id),
    name: String(row.name),
    projectKey: String(row.projectKey),
    enabled: Number(row.enabled) === 1,
    failures: Number(row.failures),
    failingSince: row.failingSince === null ? null : Number(row.failingSince),
    pausedUntil: Number(row.pausedUntil),
    reason: String(row.reason),
  }));
}
