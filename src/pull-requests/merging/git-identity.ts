/** Who writes a commit, as git takes it. */
export interface GitIdentity {
  name: string;
  email: string;
}

/** What git removes at either end of a name, and refuses a name that consists of nothing else. */
const CRUD = /^[\s.,:;<>"\\']+|[\s.,:;<>"\\']+$/g;
const MAX_LENGTH = 255;

/**
 * A user as the author of a commit. Control characters and angle brackets, which separate the parts of a commit's header, are
 * left out; without a usable mail address it is one of `users.invalid`, a domain that nobody can ever own.
 */
export function toGitIdentity(user: { id: number; name: string; mailAddress?: string | null }): GitIdentity {
  const email = clean((user.mailAddress ?? '').replace(/\s/g, ''));
  return {
    name: clean(user.name) || `User ${user.id}`,
    email: /^[^@]+@[^@]+$/.test(email) ? email : `user-${user.id}@users.invalid`,
  };
}

/** A text on one line, for the message of a commit. */
// eslint-disable-next-line no-control-regex -- a commit has no control characters
export const onOneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();

const clean = (text: string): string =>
  wellFormed(onOneLine(text).replace(/[<>]/g, '').slice(0, MAX_LENGTH)).replace(CRUD, '');

/** With replacement characters for halves of characters. */
const wellFormed = (text: string): string => Buffer.from(text).toString();
