/** The author of a commit. */
export interface GitIdentity {
  name: string;
  email: string;
}

/** The characters that git strips from both ends of a name; it rejects a name that consists only of these. */
const CRUD = /^[\s.,:;<>"\\']+|[\s.,:;<>"\\']+$/g;
const MAX_LENGTH = 255;

/**
 * Converts a user to the author of a commit. Control characters and angle brackets, which separate the parts of a commit's header, are
 * removed; a user without a valid mail address gets one of `users.invalid`, a domain that can never be registered.
 */
export function toGitIdentity(user: { id: number; name: string; mailAddress?: string | null }): GitIdentity {
  const email = clean((user.mailAddress ?? '').replace(/\s/g, ''));
  return {
    name: clean(user.name) || `User ${user.id}`,
    email: /^[^@]+@[^@]+$/.test(email) ? email : `user-${user.id}@users.invalid`,
  };
}

/** Puts a text on one line, for a commit message. */
// oxlint-disable-next-line no-control-regex -- a commit has no control characters
export const onOneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();

const clean = (text: string): string =>
  wellFormed(onOneLine(text).replace(/[<>]/g, '').slice(0, MAX_LENGTH)).replace(CRUD, '');

/** Replaces lone surrogates by replacement characters. */
const wellFormed = (text: string): string => Buffer.from(text).toString();
