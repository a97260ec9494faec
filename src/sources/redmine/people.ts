import { type ArchiveBuilder } from '../archive-builder';
import { type SourceUser } from '../model';
import { SourcePeople } from '../people';
import { type WireUser } from './wire';

/** A user as the lists of an administrator show it. */
export interface ListedUser extends WireUser {
  isLocked: boolean;
}

/** Whoever an answer names. */
interface Named {
  id: number;
  name: string;
}

const ADMINISTRATOR = 1;
const NORMAL_ROLE = 2;
/** As users are signed in; Redmine also allows other first characters. */
const SIGN_IN_NAME = /^[A-Za-z0-9][A-Za-z0-9_.@+-]{0,254}$/;
const ANONYMOUS = 'Anonymous';

/** The users of a Redmine, each of whom is added when something refers to it. */
export class RedminePeople {
  private readonly people: SourcePeople;
  private readonly listed: ReadonlyMap<number, ListedUser>;
  private readonly names = new Map<number, string>();

  /**
   * @param listed all users, if the key may see them, or else the owner of the key
   * @param isComplete whether these are all: then another id is that of the anonymous user
   * @param groups names of groups by id, which are assigned to issues like users
   * @param created the time at which the users are said to be there
   */
  constructor(
    builder: ArchiveBuilder,
    listed: readonly ListedUser[],
    private readonly isComplete: boolean,
    private readonly groups: Map<number, string>,
    created: number,
  ) {
    this.people = new SourcePeople(builder, created);
    this.listed = new Map(listed.map((user) => [user.id, user]));
  }

  /** Adds the groups that an answer names. */
  addGroup({ id, name }: Named): void {
    this.groups.set(id, name);
  }

  isGroup(id: number): boolean {
    return this.groups.has(id);
  }

  /** Returns the id of a user that an answer names. */
  idOf(named: Named | null | undefined): number {
    if (!named || this.isGroup(named.id)) return this.people.unknownId();
    if (this.people.has(named.id)) return named.id;
    const listed = this.listed.get(named.id);
    if (listed) return this.people.add(toUser(listed));
    if (this.isComplete || named.name === ANONYMOUS) return this.people.unknownId();
    this.names.set(named.id, named.name);
    return this.people.add(toUnlistedUser(named));
  }

  /** Returns the name of a user or group, for change logs. */
  nameOf(id: number): string | undefined {
    const listed = this.listed.get(id);
    return listed ? nameOf(listed) : (this.groups.get(id) ?? this.names.get(id));
  }
}

const nameOf = ({ id, firstname, lastname, login }: WireUser): string =>
  `${firstname} ${lastname}`.trim() || login || toUserId(id, '');

const toUserId = (id: number, login: string): string => (SIGN_IN_NAME.test(login) ? login : `redmine-${id}`);

function toUser(user: ListedUser): SourceUser {
  const { id, login, mail, admin, isLocked } = user;
  return {
    id,
    userId: toUserId(id, login),
    name: nameOf(user),
    roleType: admin ? ADMINISTRATOR : NORMAL_ROLE,
    lang: 'en',
    mailAddress: mail,
    isGone: isLocked,
  };
}

/** Without the list of users, only the name is known. */
const toUnlistedUser = ({ id, name }: Named): SourceUser => ({
  ...{ id, name, userId: toUserId(id, ''), roleType: NORMAL_ROLE, lang: 'en', mailAddress: '' },
  isGone: false,
});
