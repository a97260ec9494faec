/** The users whom a text mentions, whether or not they exist. */
export interface Mentions {
  /** Of `<@U12>`, each once, in the order of the text. */
  userIds: number[];
  /** `<@project>`: everyone who belongs to the project. */
  everyone: boolean;
}

const MENTION = /<@(?:U([1-9]\d{0,14})|(project))>/g;

/** The mentions in a text, in the family's notation. Whatever else looks like one is plain text. */
export function mentionsIn(text: string): Mentions {
  const userIds = new Set<number>();
  let everyone = false;
  for (const [, userId, project] of text.matchAll(MENTION)) {
    if (project === undefined) userIds.add(Number(userId));
    else everyone = true;
  }
  return { userIds: [...userIds], everyone };
}
