/** The most pairs of an option. */
export const MAX_PAIRS = 10_000;

/** What the caller of an import decides. */
export interface ImportOptions {
  /** New keys of projects, by their keys in the archive. */
  projects: Readonly<Record<string, string>>;
  /** Login names, mail addresses or ids in the space, by login names in the archive. */
  users: Readonly<Record<string, string>>;
  /**
   * Whether people whom the space lacks become users as they were, with mail address and role, and unread notifications stay unread:
   * for moving a whole space.
   */
  keepsAccounts: boolean;
  /** Whether projects are replaced that an earlier import of the same name has published, if nobody has changed them since. */
  follows?: boolean;
}
