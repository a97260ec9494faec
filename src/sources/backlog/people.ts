import { type ArchiveBuilder } from '../archive-builder';
import { SourcePeople } from '../people';
import { toUser } from './convert';
import { type WireUser } from './wire';

/** The users of a space, as its answers name them. */
export class People {
  private readonly people: SourcePeople;
  private readonly areListed: boolean;

  /**
   * @param listed all users of the space, if it shows them: then others have left
   * @param created the time at which the users are said to be there
   */
  constructor(builder: ArchiveBuilder, listed: readonly WireUser[] | undefined, created: number) {
    this.people = new SourcePeople(builder, created);
    for (const user of listed ?? []) this.people.add(toUser(user, false));
    this.areListed = listed !== undefined;
  }

  /** Returns the id of a user that an answer names. */
  idOf(user: WireUser | null | undefined): number {
    if (!user) return this.people.unknownId();
    return this.people.has(user.id) ? user.id : this.people.add(toUser(user, this.areListed));
  }

  /** Returns the id of a user, or null. */
  idOrNull(user: WireUser | null | undefined): number | null {
    return user ? this.idOf(user) : null;
  }
}
