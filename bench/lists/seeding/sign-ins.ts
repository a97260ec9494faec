import { RoleType } from '../../../src/access/role-type';
import { Identity } from '../../../src/identity-providers/entities/identity.entity';
import { IdentityProvider } from '../../../src/identity-providers/entities/identity-provider.entity';
import { Session } from '../../../src/sessions/entities/session.entity';
import { EPOCH, insertAll, type SeedDatabase } from '../../support/seed-database';
import { list } from '../list';
import { type SeededResource } from '../seeded-resource';
import { type Frame } from './frame';

const PROVIDERS = 5;
/** Of each user. */
const SESSIONS = 5;
const DAY_MS = 24 * 60 * 60_000;

/** Adds identity providers, an identity of each user at each of them, and sessions. */
async function seedSignIns(database: SeedDatabase, { population }: Frame): Promise<void> {
  const { userIds } = population;
  const each = <Item>(count: number, item: (userId: number, index: number) => Item): Item[] =>
    userIds.flatMap((userId) => Array.from({ length: count }, (_, index) => item(userId, index)));
  // Sessions end some time after their last use, whatever day it is.
  const now = Date.now();
  await database.write(async (manager) => {
    const providers = Array.from({ length: PROVIDERS }, (_, index) => index + 1);
    await insertAll(manager, IdentityProvider, providers, (id) => ({
      ...{ id, providerKey: `provider${id}`, name: `Provider ${id}`, clientId: 'client', clientSecret: null },
      ...{ issuer: `https://provider${id}.example.com`, scopes: 'openid', groupsClaim: 'groups' },
      ...{ allowedDomains: [], groupRoles: [], defaultRoleType: RoleType.NormalUser },
      ...{ createsUsers: false, linksByMail: false, trustsMail: false, trustsSecondFactor: false },
      ...{ acceptsMissingAuthTime: false, enabled: true, created: EPOCH },
    }));
    const identities = each(PROVIDERS, (userId, index) => ({ userId, providerId: index + 1 }));
    await insertAll(manager, Identity, identities, ({ userId, providerId }) => ({
      ...{ userId, providerId, subject: `subject ${userId}` },
      ...{ mailAddress: null, created: EPOCH, lastUsed: null },
    }));
    const sessions = each(SESSIONS, (userId, index) => ({ userId, token: `${userId}-${index}` }));
    await insertAll(manager, Session, sessions, ({ userId, token }) => ({
      ...{ userId, tokenHash: token.padStart(64, '0'), address: '192.0.2.1', userAgent: 'Browser' },
      ...{ created: now, lastSeen: now, authenticated: now, secondFactor: null, expires: now + DAY_MS },
    }));
  });
}

const ofMember = { path: { userId: '{memberId}' } };

export const signIns: SeededResource = {
  seed: seedSignIns,
  parameters: {},
  lists: [
    list('listSessions', '', ofMember),
    list('listIdentities', '', ofMember),
    list('listIdentityProviders'),
  ],
};
