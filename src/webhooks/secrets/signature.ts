import { createHmac } from 'node:crypto';

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
export function sign(
  messageId: string,
  timestamp: number,
  body: string,
  secrets: readonly string[],
): SignatureHeaders {
  const signed = `${messageId}.${timestamp}.${body}`;
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => `v1,${hmac(secret, signed)}`).join(' '),
  };
}

function hmac(secret: string, text: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(text).digest('base64');
}
