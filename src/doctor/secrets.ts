import { type Environment } from '../config/environment';
import { type Snapshot } from '../database/snapshot/snapshot';
import { storedKeys } from '../encryption/encryption-keys';
import { EncryptionService } from '../encryption/encryption.service';
import { PROVIDER_SECRETS } from '../identity-providers/data/provider-secret.repository';
import { TOTP_SECRETS } from '../second-factors/data/totp-secret.repository';
import { CURRENT_SECRETS } from '../webhooks/data/current-secrets';
import { counted } from '../quantities';
import { type Finding, ok, problem } from './finding';

/** Secrets of one kind. */
interface SecretKind {
  owners: string;
  /** Query for the secrets; a secret that is null has been lost. Names the owners if only they can be helped. */
  sql: string;
  /** What the owners are called by. */
  named?: string;
  /** What helps if the key is lost or the secret is damaged. */
  help: string;
}

const KINDS: readonly SecretKind[] = [
  { owners: 'webhooks', sql: CURRENT_SECRETS, help: '' },
  {
    owners: 'authenticator apps',
    sql: TOTP_SECRETS,
    named: 'user ids',
    help: ' If that is not possible, these users sign in with a recovery code or a passkey and set the app up again, or DELETE /users/{userId}/secondFactors.',
  },
  {
    owners: 'identity providers',
    sql: PROVIDER_SECRETS,
    named: 'keys of providers',
    help: ' If that is not possible, enter the client secret again: PATCH /space/identityProviders/{providerKey}.',
  },
];
/** Maximum number of owners named. */
const MAX_NAMED = 20;

/** Checks whether the secrets of webhooks, of authenticator apps and of identity providers can be decrypted. */
export async function* checkSecrets(snapshot: Snapshot, environment: Environment): AsyncGenerator<Finding> {
  for (const kind of KINDS) yield await checkSecretsOf(kind, snapshot, environment);
}

async function checkSecretsOf(
  { owners, sql, named, help }: SecretKind,
  snapshot: Snapshot,
  environment: Environment,
): Promise<Finding> {
  const stored = storedKeys(environment);
  const encryption = stored && new EncryptionService(stored.keys);
  const missing = new Set<string>();
  const names: string[] = [];
  let secrets = 0;
  let closed = 0;
  for await (const { secret, owner } of snapshot.stream(sql)) {
    const text = secret as string | null;
    secrets++;
    if (encryption?.tryDecrypt(text) !== undefined) continue;
    closed++;
    missing.add(keyOf(text, encryption));
    if (names.length < MAX_NAMED) names.push(String(owner));
  }
  if (closed === 0) return ok('secrets', `${counted(secrets, 'secret')} of ${owners}, all readable.`);
  const more = closed > names.length ? ', …' : '';
  const whose = named === undefined ? '' : ` The ${named}: ${names.join(', ')}${more}.`;
  return problem(
    'secrets',
    `${counted(closed, 'secret')} of ${owners} cannot be decrypted (keys: ${[...missing].join(', ')}).${whose}`,
    `Add the keys at the end of ENCRYPTION_KEY, or put the right encryption.key back.${help}`,
  );
}

/** Names the key of a secret that cannot be decrypted, or what else is the reason. */
function keyOf(secret: string | null, encryption: EncryptionService | undefined): string {
  if (secret === null) return 'lost';
  return encryption?.canDecrypt(secret) ? 'damaged' : (secret.split('.', 1)[0] ?? '');
}
