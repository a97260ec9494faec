import { isSignInName } from '../../users/dto/user-fields';
import { generateToken } from '../../users/token';

const MAX_BASE = 200;
/** Number of candidates with a number at the end, from 2 on. */
const NUMBERED = 8;

/**
 * Yields login names for a person, the best first: what the provider calls them, or the beginning of their mail address, then with a number,
 * at last with random characters, which nobody has.
 * @param userName any text
 */
export function* nameCandidates(userName: string | undefined, mailAddress: string): Generator<string> {
  const base =
    toSignInName(userName?.split('@', 1)[0]) ?? toSignInName(mailAddress.split('@', 1)[0]) ?? 'user';
  yield base;
  for (let number = 2; number < 2 + NUMBERED; number++) yield `${base}-${number}`;
  yield `${base}-${generateToken()
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 8)}`;
}

/** Returns the name in the form of login names; undefined if nothing is left of it. */
function toSignInName(text: string | undefined): string | undefined {
  const name = text
    ?.replace(/[^A-Za-z0-9_.@+-]/g, '')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, MAX_BASE);
  return name !== undefined && isSignInName(name) ? name : undefined;
}
