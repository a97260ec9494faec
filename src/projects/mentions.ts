/** The users and teams that a text mentions, whether or not they exist. */
export interface Mentions {
  /** Distinct ids of `<@U12>`, in the order of the text. */
  userIds: number[];
  /** Distinct ids of `<@T3>`, in the order of the text. */
  teamIds: number[];
  /** Whether `<@project>` mentions all members of the project. */
  everyone: boolean;
}

const MENTION = /<@(?:([UT])([1-9]\d{0,14})|project)>/g;

/** Returns the mentions in a text, in the family's notation. Anything similar is plain text. */
export function mentionsIn(text: string): Mentions {
  const userIds = new Set<number>();
  const teamIds = new Set<number>();
  let everyone = false;
  for (const [, kind, id] of text.matchAll(MENTION)) {
    if (kind === undefined) everyone = true;
    else (kind === 'U' ? userIds : teamIds).add(Number(id));
  }
  return { userIds: [...userIds], teamIds: [...teamIds], everyone };
}
