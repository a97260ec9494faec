/** Whom a text mentions, whether or not they exist. */
export interface Mentions {
  /** Of `<@U12>`, each once, in the order of the text. */
  userIds: number[];
  /** Of `<@T3>`, likewise. */
  teamIds: number[];
  /** `<@project>`: everyone who belongs to the project. */
  everyone: boolean;
}

const MENTION = /<@(?:([UT])([1-9]\d{0,14})|project)>/g;

/** The mentions in a text, in the family's notation. Whatever else looks like one is plain text. */
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
