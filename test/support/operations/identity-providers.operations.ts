import { type World } from '../world';
import { ADMINISTRATORS, type Names, type OperationCase, type OperationCases, times } from './operation-case';

/** Maximum number of providers of a space. */
const MAX_PROVIDERS = 20;

/** Adds a provider to the database, whatever the limit, and returns its id and key. The secret is not decrypted. */
async function addRow(world: World): Promise<{ id: number; key: string }> {
  const key = world.uniqueName('provider').replace(' ', '-');
  await world.write(async (manager) => {
    await manager.query(
      `INSERT INTO identity_provider (provider_key, name, issuer, client_id, client_secret, scopes, allowed_domains, creates_users,
          default_role_type, groups_claim, group_roles, links_by_mail, trusts_mail, trusts_second_factor, accepts_missing_auth_time,
          enabled, created)
        VALUES (?, ?, 'https://login.example.com', ?, NULL, 'openid', '[]', 0, 2, 'groups', '[]', 0, 0, 0, 0, 1, ?)`,
      [key, key, key, Date.now()],
    );
  });
  const [{ id }] = await world.dataSource.query<[{ id: number | string }]>(
    'SELECT id FROM identity_provider WHERE provider_key = ?',
    [key],
  );
  return { id: Number(id), key };
}

/** Removes the oldest providers, so that another can be added. */
async function makeRoom(world: World): Promise<void> {
  const rows = await world.dataSource.query<{ id: number | string }[]>(
    'SELECT id FROM identity_provider ORDER BY id DESC',
  );
  for (const { id } of rows.slice(MAX_PROVIDERS - 5)) {
    await world.write((manager) => manager.query('DELETE FROM identity_provider WHERE id = ?', [id]));
  }
}

/** Returns a new identity of a user, at a provider of its own. Its session and key go on working. */
export async function anIdentity(world: World, userId: number): Promise<number> {
  const provider = await addRow(world);
  await world.write((manager) =>
    manager.query(
      'INSERT INTO identity (provider_id, subject, user_id, mail_address, created, last_used) VALUES (?, ?, ?, ?, ?, ?)',
      [provider.id, provider.key, userId, `${provider.key}@example.com`, Date.now(), Date.now()],
    ),
  );
  // Users cannot disconnect their last way in.
  await world.write((manager) =>
    manager.query("UPDATE user SET password_hash = 'set' WHERE id = ? AND password_hash IS NULL", [userId]),
  );
  const [{ id }] = await world.dataSource.query<[{ id: number | string }]>(
    'SELECT id FROM identity WHERE provider_id = ?',
    [provider.id],
  );
  return Number(id);
}

const ONE: OperationCase = {
  right: ADMINISTRATORS,
  scope: 'space',
  names: async (world): Promise<Names> => ({ providerKey: (await addRow(world)).key }),
};

export const identityProviderOperations: OperationCases = {
  listIdentityProviders: {
    right: ADMINISTRATORS,
    scope: 'space',
    list: { fill: (world, _project, count) => times(count, () => addRow(world)) },
  },
  addIdentityProvider: {
    right: ADMINISTRATORS,
    scope: 'space',
    body: async (world) => {
      await makeRoom(world);
      return {
        key: world.uniqueName('added').replace(' ', '-'),
        name: 'Keycloak',
        issuer: 'https://login.example.com/realms/main',
        clientId: 'tracker',
        clientSecret: 'client secret',
      };
    },
  },
  getIdentityProvider: ONE,
  updateIdentityProvider: { ...ONE, body: (world) => ({ name: world.uniqueName('Login') }) },
  deleteIdentityProvider: ONE,
};
