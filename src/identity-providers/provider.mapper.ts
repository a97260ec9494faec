import { toTimestamp } from '../http/request/timestamp';
import { type IdentityRow } from './data/identity.repository';
import { type ProviderRow } from './data/identity-provider.repository';
import { type IdentityDto } from './dto/identity.dto';
import { type IdentityProviderDto } from './dto/identity-provider.dto';

/** Converts a provider to its format in responses. */
export const toProviderDto = (
  { providerKey, clientSecret, created, ...row }: ProviderRow,
  redirectUri: string,
): IdentityProviderDto => ({
  id: row.id,
  key: providerKey,
  name: row.name,
  issuer: row.issuer,
  clientId: row.clientId,
  hasClientSecret: clientSecret !== null,
  redirectUri,
  scopes: row.scopes,
  allowedDomains: row.allowedDomains,
  createsUsers: row.createsUsers,
  defaultRoleType: row.defaultRoleType,
  groupsClaim: row.groupsClaim,
  groupRoles: row.groupRoles,
  linksByMail: row.linksByMail,
  trustsMail: row.trustsMail,
  trustsSecondFactor: row.trustsSecondFactor,
  acceptsMissingAuthTime: row.acceptsMissingAuthTime,
  enabled: row.enabled,
  created: toTimestamp(created),
});

/** Converts an identity to its format in responses. */
export const toIdentityDto = (
  { id, subject, mailAddress, created, lastUsed }: IdentityRow,
  { providerKey, name }: Pick<ProviderRow, 'providerKey' | 'name'>,
): IdentityDto => ({
  id,
  providerKey,
  providerName: name,
  subject,
  mailAddress,
  created: toTimestamp(created),
  lastUsed: lastUsed === null ? null : toTimestamp(lastUsed),
});
