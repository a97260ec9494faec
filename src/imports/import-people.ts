import { type EntityManager } from 'typeorm';
import { RoleType } from '../access/role-type';
import { type ArchivedRecord } from '../archives/record-kinds';
import { loopTurns } from '../event-loop/loop-turns';
import { type ImportedUser, type UsersService } from '../users/users.service';
import { LARGEST_KEPT_ID } from './import-ids';
import { type ImportOptions } from './import-options';
import { type PersonSource } from './import-plan';
import { ImportError } from './import.error';

/** The most people of an archive, who are kept in memory. */
export const MAX_PEOPLE = 100_000;

/** A record of a person. */
export type Person = ArchivedRecord & ImportedUser & { id: number };

/** A person with the user that they are in the space; undefined if they have to be added. */
export interface MatchedPerson {
  person: Person;
  targetId: number | undefined;
  by: PersonSource;
}

/**
 * Finds people in the space: by the options, else by a mail address that only one of the archive and one of the space has, else by their login
 * name, even of a user who left. No two become the same user.
 * @param taken the users that other people of the archive are already
 * @param earlier who people were in earlier imports: what no longer fits is left out
 * @throws ImportError if an option names nobody, or the same user twice
 */
export async function matchPeople(
  users: UsersService,
  people: readonly Person[],
  { users: chosen }: Pick<ImportOptions, 'users'>,
  { taken = new Set(), earlier = {} }: { taken?: ReadonlySet<number>; earlier?: ImportOptions['users'] } = {},
): Promise<MatchedPerson[]> {
  const used = new Set(taken);
  const byOption = await findChosen(users, people, chosen, used);
  await addEarlier(users, people, earlier, byOption, used);
  const addresses = new Map<string, number>();
  for (const { mailAddress } of people) {
    const address = mailAddress.toLowerCase();
    addresses.set(address, (addresses.get(address) ?? 0) + 1);
  }
  const matched: MatchedPerson[] = [];
  for (const person of people) {
    const option = byOption.get(person.id);
    if (option !== undefined) {
      matched.push({ person, targetId: option, by: 'option' });
      continue;
    }
    const { mailAddress, userId } = person;
    const isOwn = mailAddress !== '' && addresses.get(mailAddress.toLowerCase()) === 1;
    const byMail = isOwn ? await users.findIdsByMail(mailAddress, 2) : [];
    const [mailed] = byMail;
    if (mailed !== undefined && byMail.length === 1 && !used.has(mailed)) {
      used.add(mailed);
      matched.push({ person, targetId: mailed, by: 'mail' });
      continue;
    }
    const named = await users.findIdByName(userId);
    if (named !== undefined && !used.has(named)) {
      used.add(named);
      matched.push({ person, targetId: named, by: 'userId' });
    } else matched.push({ person, targetId: undefined, by: 'added' });
    await loopTurns.pauseInBackground();
  }
  return matched;
}

async function findChosen(
  users: UsersService,
  people: readonly Person[],
  chosen: ImportOptions['users'],
  used: Set<number>,
): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  for (const [from, to] of Object.entries(chosen)) {
    const person = people.find(({ userId }) => userId === from);
    if (!person) throw new ImportError(`The archive has no user ${JSON.stringify(from)}.`);
    const target = await findTarget(users, to);
    if (used.has(target)) {
      throw new ImportError(
        `Two people of the archive would become ${JSON.stringify(to)}: join one with pms user merge afterwards.`,
      );
    }
    used.add(target);
    found.set(person.id, target);
  }
  return found;
}

/** Adds the people of earlier imports whose users nobody else is: several may have been joined to one user since. */
async function addEarlier(
  users: UsersService,
  people: readonly Person[],
  earlier: ImportOptions['users'],
  found: Map<number, number>,
  used: Set<number>,
): Promise<void> {
  for (const person of people) {
    const to = Object.hasOwn(earlier, person.userId) ? earlier[person.userId] : undefined;
    if (to === undefined || found.has(person.id)) continue;
    const target = await findTarget(users, to).catch((error: unknown) => {
      if (!(error instanceof ImportError)) throw error;
      return undefined;
    });
    if (target === undefined || used.has(target)) continue;
    used.add(target);
    found.set(person.id, target);
  }
}

/** Returns the user with a login name, else with a mail address, else with an id. @throws ImportError unless there is one */
async function findTarget(users: UsersService, to: string): Promise<number> {
  const named = await users.findIdByName(to);
  if (named !== undefined) return named;
  const [mailed, other] = to.includes('@') ? await users.findIdsByMail(to, 2) : [];
  if (other !== undefined)
    throw new ImportError(`Several users have the mail address ${JSON.stringify(to)}: give a login name.`);
  if (mailed !== undefined) return mailed;
  const id = /^[1-9]\d{0,14}$/.test(to) ? Number(to) : undefined;
  if (id !== undefined && (await users.isActive(id)) !== undefined) return id;
  throw new ImportError(`The space has no user ${JSON.stringify(to)}.`);
}

/**
 * Adds a person to the space: as a disabled user without a mail address, who cannot sign in, or as they were.
 * @param lastId the last id of the users: a person with a larger one keeps it, unless it is too large
 */
export async function addPerson(
  manager: EntityManager,
  users: UsersService,
  person: Person,
  { keepsAccounts, lastId }: Pick<ImportOptions, 'keepsAccounts'> & { lastId: number },
): Promise<number> {
  const { id, roleType } = person;
  const userId = await freeName(manager, users, person);
  const stranger = {
    mailAddress: '',
    disabled: true,
    placeholder: true,
    roleType: roleType === RoleType.Administrator ? RoleType.NormalUser : roleType,
  };
  return users.addImported(manager, {
    ...fieldsOf(person),
    userId,
    ...(!keepsAccounts && stranger),
    ...(id > lastId && id <= LARGEST_KEPT_ID && { id }),
  });
}

const fieldsOf = (person: Person): ImportedUser => ({
  userId: person.userId,
  name: person.name,
  roleType: person.roleType,
  lang: person.lang,
  mailAddress: person.mailAddress,
  active: person.active,
  disabled: person.disabled,
  placeholder: person.placeholder,
  created: person.created,
  vendorId: person.vendorId,
  vendorName: person.vendorName,
  vendorUniqueId: person.vendorUniqueId,
});

/** Returns a login name that nobody has or had. Many people may want the same: after some numbers, the id of the person tells them apart. */
async function freeName(manager: EntityManager, users: UsersService, person: Person): Promise<string> {
  const start = [...person.userId].slice(0, MAX_NAME).join('');
  let name = person.userId;
  for (let number = 2; await users.isTaken(name, manager); number++) {
    name = number <= LAST_NUMBER ? `${start}-${number}` : `${start}-${person.id}-${number}`;
  }
  return name;
}

const MAX_NAME = 230;
const LAST_NUMBER = 20;
