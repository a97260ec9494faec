import { RoleType } from '../../../src/access/role-type';
import { insertRow } from '../../../src/database/sql/rows';
import { MailSettingRepository } from '../../../src/mail/data/mail-setting.repository';
import { Passkey } from '../../../src/second-factors/entities/passkey.entity';
import { SessionsService } from '../../../src/sessions/sessions.service';
import { generateApiKey } from '../../../src/users/api-key';
import { ApiKeysService } from '../../../src/users/api-keys.service';
import { generateToken, hashToken } from '../../../src/users/token';
import { type Person, type ProjectFixture, type World } from '../world';
import { anIdentity } from './identity-providers.operations';
import {
  ADMINISTRATORS,
  EVERYONE,
  type Names,
  type OperationCase,
  type OperationCases,
  PROJECT_ADMINISTRATORS,
  times,
} from './operation-case';

const theUser = (_world: World, _project: ProjectFixture, { id }: Person): Names => ({ userId: id });

const anotherUser = async (world: World, project: ProjectFixture): Promise<Names> => ({
  userId: (await world.addMember(project)).id,
});

const anApiKey = async (world: World, _project: ProjectFixture, { id }: Person): Promise<Names> => {
  const add = world.service(ApiKeysService).add.bind(world.service(ApiKeysService));
  return {
    userId: id,
    apiKeyId: await world.write((manager) =>
      add(manager, id, generateApiKey(), { name: 'A key', scopes: ['read:users'] }),
    ),
  };
};

/** Returns a session of the user. */
const aSession = async (world: World, _project: ProjectFixture, { id }: Person): Promise<Names> => {
  const sessions = world.service(SessionsService);
  const browser = { address: '192.0.2.1', userAgent: 'A browser' };
  await world.write(async (manager) => {
    await sessions.start(manager, id, browser);
  });
  const [newest] = await sessions.list(id, { id, roleType: RoleType.Administrator });
  return { userId: id, sessionId: newest!.id };
};

const aUserWithSession = async (world: World, project: ProjectFixture, person: Person): Promise<Names> => {
  const { userId } = await aSession(world, project, person);
  return { userId: userId! };
};

/** Gives the user an authenticator app, whose secret no test needs. */
const aUserWithApp = async (world: World, _project: ProjectFixture, { id }: Person): Promise<Names> => {
  await world.write(async (manager) => {
    await manager.query('DELETE FROM totp WHERE user_id = ?', [id]);
    await manager.query('INSERT INTO totp (user_id, secret, confirmed, last_step) VALUES (?, NULL, ?, 0)', [
      id,
      Date.now(),
    ]);
  });
  return { userId: id };
};

/** Returns a passkey of the user, whose key no test needs. */
export const aPasskey = async (
  world: World,
  _project: unknown,
  { id }: Pick<Person, 'id'>,
): Promise<Names> => {
  const credential = hashToken(generateToken());
  const passkey = await world.write((manager) =>
    insertRow(manager, Passkey, {
      userId: id,
      credentialHash: credential,
      credentialId: credential,
      publicKey: '',
      signCount: 0,
      transports: 'internal',
      backedUp: true,
      name: 'Phone',
      created: Date.now(),
      lastUsed: null,
    }),
  );
  return { userId: id, passkeyId: passkey };
};
const anIdentityOf = async (world: World, _project: ProjectFixture, { id }: Person): Promise<Names> => ({
  userId: id,
  identityId: await anIdentity(world, id),
});

/** Allowed to users for themselves, and to Administrators for any user. */
const OF_USER: OperationCase = {
  right: { ...ADMINISTRATORS, orOwner: true },
  scope: 'person',
  names: theUser,
};

export const userOperations: OperationCases = {
  getSpace: { right: EVERYONE, scope: 'space' },
  getRateLimit: { right: EVERYONE, scope: 'space' },
  getMailStatus: { right: ADMINISTRATORS, scope: 'space' },
  sendTestLetter: { right: ADMINISTRATORS, scope: 'space' },
  getMailSettings: OF_USER,
  updateMailSettings: {
    right: { ...EVERYONE, ownerOnly: true },
    scope: 'person',
    names: theUser,
    body: () => ({ mode: 'digest', mutedTopics: ['updated'] }),
  },
  deleteMailPause: {
    ...OF_USER,
    names: async (world, _project, { id }) => {
      const pause = {
        address: `refused${id}@example.com`,
        reason: '550 5.1.1 No such user',
        now: Date.now(),
      };
      await world.write((manager) => world.service(MailSettingRepository).pause(manager, id, pause));
      return { userId: id };
    },
  },
  getMyself: { right: EVERYONE, scope: 'space' },
  listUsers: {
    right: PROJECT_ADMINISTRATORS,
    scope: 'space',
    list: { fill: (world, _project, count) => times(count, () => world.addUser()) },
  },
  getUser: { right: EVERYONE, scope: 'person', names: theUser },
  addUser: {
    right: ADMINISTRATORS,
    scope: 'space',
    body: (world) => ({
      userId: world.uniqueName('robin').replace(' ', '.'),
      password: 'correct horse',
      name: 'Robin',
      mailAddress: 'robin@example.com',
      roleType: 2,
    }),
  },
  getUserAccount: { right: ADMINISTRATORS, scope: 'person', names: theUser },
  updateUser: { ...OF_USER, body: () => ({ name: 'New name' }) },
  deleteUser: { right: ADMINISTRATORS, scope: 'person', names: anotherUser },
  listApiKeys: {
    ...OF_USER,
    list: {
      fill: (world, project, count) => times(count, () => anApiKey(world, project, world.admin)),
    },
  },
  addApiKey: { ...OF_USER, body: () => ({ name: 'Script' }) },
  deleteApiKey: { ...OF_USER, names: anApiKey },
  listSessions: {
    ...OF_USER,
    list: {
      fill: (world, project, count) => times(count, () => aSession(world, project, world.admin)),
    },
  },
  deleteSessions: { ...OF_USER, names: aUserWithSession },
  deleteSession: { ...OF_USER, names: aSession },
  listIdentities: {
    ...OF_USER,
    list: {
      fill: (world, _project, count) => times(count, () => anIdentity(world, world.admin.id)),
    },
  },
  deleteIdentity: { ...OF_USER, names: anIdentityOf },
  addPasswordLink: { right: ADMINISTRATORS, scope: 'person', names: anotherUser },
  getSecondFactors: { ...OF_USER, names: aUserWithApp },
  deleteSecondFactors: { ...OF_USER, names: aUserWithApp },
  deletePasskey: { ...OF_USER, names: aPasskey },
};
