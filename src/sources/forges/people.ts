import { isMailAddress } from '../../users/dto/user-fields';
import { type ArchiveBuilder } from '../archive-builder';
import { SourcePeople } from '../people';
import { toUserId } from '../names';

/** An account of a source. */
export interface Account {
  id: number;
  login: string;
  name?: string;
  /** Empty unless it is public. */
  mail?: string;
  /** Whether nobody signs in with it any longer, or ever did: bots and organizations. */
  isGone: boolean;
}

/** The account that stands for all deleted ones. */
const GHOST = 'ghost';
/** Addresses that a host gives its users in place of their own, such as `12+ada@users.noreply.github.com`. */
const PRIVATE_ADDRESS = /^(?:\d+[+-])?([^@+]+)@users\.noreply\./;

/** The users of a source, as its answers and the commits of its wiki name them. */
export class ForgePeople {
  private readonly people: SourcePeople;
  private readonly byName = new Map<string, number>();
  private readonly byMail = new Map<string, number>();
  private readonly byCommits = new Map<string, number>();

  /** @param created the time at which the users are said to be there */
  constructor(
    private readonly builder: ArchiveBuilder,
    created: number,
  ) {
    this.people = new SourcePeople(builder, created);
  }

  /** Returns the id of the user of an account, which the first mention describes. */
  idOf(account: Account | null | undefined): number {
    if (!account || account.login.toLowerCase() === GHOST) return this.people.unknownId();
    const { id, login, isGone } = account;
    if (this.people.has(id)) return id;
    const name = account.name?.trim() ?? '';
    const mailAddress = isMailAddress(account.mail ?? '') ? (account.mail ?? '') : '';
    this.byName.set(login.toLowerCase(), id);
    if (mailAddress !== '') this.byMail.set(mailAddress.toLowerCase(), id);
    return this.people.add({
      ...{ id, userId: toUserId(login, id), name: name === '' ? login : name, mailAddress, isGone },
      ...{ roleType: 2, lang: 'en' },
    });
  }

  /** Returns the id of a user, or null. */
  idOrNull(account: Account | null | undefined): number | null {
    return account ? this.idOf(account) : null;
  }

  /**
   * Returns the id of the author of a commit. Anybody can write any address into a commit: it leads to accounts of the source, and is never
   * the mail address of a user, by which an import would find an account here.
   */
  idOfCommitter(name: string, mail: string): number {
    const address = mail.toLowerCase();
    const login = PRIVATE_ADDRESS.exec(address)?.[1];
    const known = login === undefined ? this.byMail.get(address) : this.byName.get(login);
    const id = known ?? this.byCommits.get(address);
    if (id !== undefined) return id;
    const newId = this.builder.newId('user');
    this.byCommits.set(address, newId);
    return this.people.add({
      ...{
        id: newId,
        userId: `commits-of-${toUserId(mail, this.byCommits.size)}`,
        mailAddress: '',
        isGone: true,
      },
      ...{ name: name.trim() === '' ? 'Unknown author' : name.trim(), roleType: 2, lang: 'en' },
    });
  }
}
