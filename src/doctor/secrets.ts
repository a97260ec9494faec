import { type Environment } from '../config/environment';
import { type Snapshot } from '../database/snapshot/snapshot';
import { storedKeys } from '../encryption/encryption-keys';
import { EncryptionService } from '../encryption/encryption.service';
import { PROVIDER_SECRETS } from '../identity-providers/data/provider-secret.repository';
import { TOTP_SECRETS } from '../second-factors/data/totp-secret.repository';
import { CURRENT_SECRETS } from '../webhooks/data/current-secrets';
import { counted } from '../quantities';
import { type Finding, ok, problem } from './finding';

/** Checks whether the secrets of webhooks, of authenticator apps and of identity providers can be decrypted. */
export async function* checkSecrets(snapshot: Snapshot, environment: Environment): AsyncGenerator<Finding> {
  yield* checkSecretsOf('webhooks', CURRENT_SECRETS, snapshot, environment);
  yield* checkSecretsOf('authenticator apps', TOTP_SECRETS, snapshot, environment);
  yield* checkSecretsOf('identity providers', PROVIDER_SECRETS, snapshot, environment);
}

async function* checkSecretsOf(
  owners: string,
  sql: string,
  snapshot: Snapshot,
  environment: Environment,
): AsyncGenerator<Finding> {
  const stored = storedKeys(environment);
  const encryption = stored && new EncryptionService(stored.keys);
  const missing = new Set<string>();
  let secrets = 0;
  let closed = 0;
  for await (const { secret } of snapshot.stream(sql)) {
    const text = secret as string;
    secrets++;
    if (isDecryptable(encryption, text)) continue;
    closed++;
    missing.add(encryption?.canDecrypt(text) ? 'damaged' : (text.split('.', 1)[0] ?? ''));
  }
  yield closed === 0
    ? ok('secrets', `${counted(secrets, 'secret')} of ${owners}, all readable.`)
    : problem(
        'secrets',
        `${counted(closed, 'secret')} of ${owners} cannot be decrypted (keys: ${[...missing].join(', ')}).`,
        'Add the keys at the end of ENCRYPTION_KEY, or put the right encryption.key back.',
      );
}

function isDecryptable(encryption: EncryptionService | undefined, secret: string): boolean {
  try {
    return encryption?.decrypt(secret) !== undefined;
  } catch {
    return false;
  }
}
