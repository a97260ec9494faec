import { createHmac } from 'node:crypto';
import { loopTurns } from '../../event-loop/loop-turns';

const SECRET_PREFIX = 'whsec_';

/** Headers by which a receiver verifies a delivery (Standard Webhooks 1.0). */
export interface SignatureHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/** Formats random bytes as a secret for receivers. */
export const formatSecret = (bytes: Buffer): string => SECRET_PREFIX + bytes.toString('base64');

/**
 * Signs a body with every secret that is valid now; a receiver accepts one of the signatures.
 * @param timestamp seconds since 1970
 * @param secrets `whsec_…`, the newest first
 */
export async function sign(
  messageId: string,
  timestamp: number,
  body: string | Uint8Array,
  secrets: readonly string[],
): Promise<SignatureHeaders> {
  const signatures: string[] = [];
  for (const secret of secrets) {
    // A large body takes some milliseconds for each secret.
    await loopTurns.pause();
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    const hmac = createHmac('sha256', key).update(`${messageId}.${timestamp}.`).update(body);
    signatures.push(`v1,${hmac.digest('base64')}`);
  }
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
