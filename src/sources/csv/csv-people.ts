import { grouped } from '../../quantities';
import { isMailAddress, isSignInName } from '../../users/dto/user-fields';
import { type ArchiveBuilder } from '../archive-builder';
import { UNKNOWN_USER } from '../people';
import { SourceError } from '../source.error';
import { firstCharacters } from './texts';
import { type PersonPart } from './fields';

/** As many as an import takes (`src/imports/import-people.ts`). */
const MAX_PEOPLE = 100_000;
const MAX_NAME = 255;
const MAX_LOGIN = 200;
const NORMAL_ROLE = 2;

/** What a row says of a person. `any` is a login name, a name or a mail address. */
export type GivenPerson = Partial<Record<PersonPart | 'any', string>>;

interface Person {
  id?: number;
  login?: string;
  name?: string;
  mail?: string;
}

/**
 * The people whom files name: here by their login name, there by their name. Whatever a row says together belongs to one person. Two of the
 * same name are one person, unless both have login names.
 */
export class CsvPeople {
  private readonly byLogin = new Map<string, Person>();
  private readonly byName = new Map<string, Person>();
  private readonly byMail = new Map<string, Person>();
  private readonly identified: Person[] = [];

  constructor(private readonly builder: ArchiveBuilder) {}

  /** Returns how many have an id. */
  get count(): number {
    return this.identified.length;
  }

  /** Learns who belongs together, before anybody has an id. */
  learn(given: GivenPerson): void {
    this.find(given);
  }

  /** Returns the id of a person. @throws SourceError if there are too many */
  idOf(given: GivenPerson): number {
    const person = this.find(given);
    if (person.id === undefined) {
      person.id = this.builder.newId('user');
      this.identified.push(person);
    }
    return person.id;
  }

  /** Adds those who have an id. @param created the time at which they are said to be there */
  addAll(created: number): void {
    const taken = new Set([UNKNOWN_USER]);
    for (const person of this.identified) {
      const userId = freeName(loginOf(person), taken);
      taken.add(userId);
      this.builder.user(
        {
          id: person.id as number,
          userId,
          name: person.name ?? person.login ?? person.mail ?? userId,
          roleType: NORMAL_ROLE,
          lang: 'en',
          mailAddress: person.mail !== undefined && isMailAddress(person.mail) ? person.mail : '',
          isGone: false,
        },
        created,
      );
    }
  }

  private find({ any, login, name, mail }: GivenPerson): Person {
    const isAddress = any !== undefined && isMailAddress(any);
    const given: Person = {
      login: cut(login),
      name: cut(name ?? (isAddress ? undefined : any)),
      mail: cut(mail ?? (isAddress ? any : undefined)),
    };
    const known = this.known(given);
    const person = known ?? {};
    person.login ??= given.login;
    person.name ??= given.name;
    person.mail ??= given.mail;
    this.index(person);
    if (!known && this.byLogin.size + this.byName.size + this.byMail.size > 3 * MAX_PEOPLE)
      throw new SourceError(`The file names more than ${grouped(MAX_PEOPLE)} people.`);
    return person;
  }

  /** Returns the known person; one who was known by the login name and by the name apart becomes one. */
  private known(given: Person): Person | undefined {
    const { login, name, mail } = given;
    const byMail = mail === undefined ? undefined : this.byMail.get(mail.toLowerCase());
    const byLogin = login === undefined ? undefined : (this.byLogin.get(login) ?? this.nameless(login));
    const named = name === undefined ? undefined : (this.byName.get(name) ?? this.byLogin.get(name));
    const byName = named && isOther(named, given) ? undefined : named;
    const person = byLogin ?? byMail ?? byName;
    for (const other of [byMail, byName]) if (person && other) this.join(person, other);
    return person;
  }

  /** Returns who is known only by a name that is a login name. */
  private nameless(login: string): Person | undefined {
    const person = this.byName.get(login);
    return person?.login === undefined ? person : undefined;
  }

  /** Makes two people one, unless both are in use or have login names. */
  private join(person: Person, other: Person): void {
    if (person === other || other.id !== undefined) return;
    if (person.login !== undefined && other.login !== undefined) return;
    person.login ??= other.login;
    person.name ??= other.name;
    person.mail ??= other.mail;
    const { login, name, mail } = other;
    if (login !== undefined) this.byLogin.set(login, person);
    if (name !== undefined) this.byName.set(name, person);
    if (mail !== undefined) this.byMail.set(mail.toLowerCase(), person);
  }

  /** Makes a person known by all that is known of them; the first with a name or an address keeps it. */
  private index(person: Person): void {
    const { login, name, mail } = person;
    if (login !== undefined && !this.byLogin.has(login)) this.byLogin.set(login, person);
    if (name !== undefined && !this.byName.has(name)) this.byName.set(name, person);
    if (mail !== undefined && !this.byMail.has(mail.toLowerCase()))
      this.byMail.set(mail.toLowerCase(), person);
  }
}

/** Whether somebody with the same name is another person: one with another login name or address. */
const isOther = (one: Person, { login, mail }: Person): boolean =>
  (login !== undefined && one.login !== undefined && one.login !== login) ||
  (mail !== undefined && one.mail !== undefined && one.mail.toLowerCase() !== mail.toLowerCase());

const cut = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : firstCharacters(text, MAX_NAME);

/** Returns a name to sign in by that is as close as possible to what is known of a person. */
function loginOf({ login, name, mail }: Person): string {
  const valid = [login, name, mail].find((known) => known !== undefined && isSignInName(known));
  if (valid !== undefined) return valid;
  const plain = (name ?? login ?? mail ?? '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_.@+-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, MAX_LOGIN);
  return plain === '' ? 'user' : plain;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : `${name.slice(0, MAX_LOGIN)}-${number}`;
    if (!taken.has(free)) return free;
  }
}
