import { type ArchiveBuilder } from './archive-builder';
import { type SourceUser } from './model';

/** The login name of the author of what has none any longer. */
export const UNKNOWN_USER = 'unknown-user';

/** The users of a source, each of whom is added once: those that it lists, and the authors that its other answers name. */
export class SourcePeople {
  private readonly seen = new Set<number>();
  private unknown?: number;

  /** @param created the time at which the users are said to be there */
  constructor(
    private readonly builder: ArchiveBuilder,
    private readonly created: number,
  ) {}

  has(id: number): boolean {
    return this.seen.has(id);
  }

  /** Adds a user, and returns the id. */
  add(user: SourceUser): number {
    if (!this.seen.has(user.id)) {
      this.seen.add(user.id);
      this.builder.user(user, this.created);
    }
    return user.id;
  }

  /** Returns the id of the author of what has none any longer. */
  unknownId(): number {
    if (this.unknown !== undefined) return this.unknown;
    this.builder.losses.note('Authors that the source no longer names');
    const user = { userId: UNKNOWN_USER, name: 'Unknown user', roleType: 2, lang: 'en', mailAddress: '' };
    return (this.unknown = this.add({ ...user, id: this.builder.newId('user'), isGone: true }));
  }
}
