import { deletedProjectIds } from '../../projects/visibility';

/** Query for the encrypted secrets that webhooks sign with, excluding webhooks that are being removed. */
export const CURRENT_SECRETS = `SELECT secret AS secret FROM webhook
  WHERE secret IS NOT NULL AND deleted = 0 AND project_id NOT IN (${deletedProjectIds})`;
