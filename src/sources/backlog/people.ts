import { type ArchiveBuilder } from '../archive-builder';
import { toUser } from './convert';
import { type WireUser } from './wire';

/** The users of a space: those that it lists, and the authors that its other answers name. */
export class People {
  private readonly seen = new Set<number>();
  private unknown?: number;

  /**
   * @param areListed whether the space has listed its users, so that others have left
   * @param created the time at which the users are said to be there
   */
  constructor(
    private readonly builder: ArchiveBuilder,
    listed: readonly WireUser[] | undefined,
    private readonly created: number,
  ) {
    for (const user of listed ?? []) this.add(user, false);
    this.areListed = listed !== undefined;
  }

  private readonly areListed: boolean;

  get count(): number {
    return this.seen.size;
  }

  /** Returns the id of a user that an answer names. */
  idOf(user: WireUser | null | undefined): number {
    if (!user) return this.unknownId();
    if (!this.seen.has(user.id)) this.add(user, this.areListed);
    return user.id;
  }

  /** Returns the id of a user, or null. */
  idOrNull(user: WireUser | null | undefined): number | null {
    return user ? this.idOf(user) : null;
  }

  private add(user: WireUser, isGone: boolean): void {
    this.seen.add(user.id);
    this.builder.user(toUser(user, isGone), this.created);
  }

  /** Returns the id of the author of what has none any longer. */
  private unknownId(): number {
    if (this.unknown !== undefined) return this.unknown;
    this.unknown = this.builder.newId('user');
    const user = { id: this.unknown, userId: 'unknown-user', name: 'Unknown user', roleType: 2, lang: 'en' };
    this.builder.user({ ...user, mailAddress: '', isGone: true }, this.created);
    this.builder.losses.note('Authors that the source no longer names');
    return this.unknown;
  }
}
