import { type Environment } from '../config/environment';
import { type Snapshot } from '../database/snapshot/snapshot';
import { ENABLED_PROVIDERS } from '../identity-providers/data/identity-provider.repository';
import { counted } from '../quantities';
import { type Finding, ok, problem } from './finding';

/** Checks whether users can sign in where passwords are switched off. */
export async function* checkSignIn(
  snapshot: Snapshot,
  { PASSWORD_SIGN_IN: hasPasswords }: Environment,
): AsyncGenerator<Finding> {
  if (hasPasswords) return;
  let usable = 0;
  for await (const { count } of snapshot.stream(ENABLED_PROVIDERS)) usable = Number(count);
  yield usable > 0
    ? ok('sign-in', `Passwords are switched off; ${counted(usable, 'identity provider')} can be used.`)
    : problem(
        'sign-in',
        'Nobody can sign in: PASSWORD_SIGN_IN is off, and no identity provider is enabled.',
        'Set PASSWORD_SIGN_IN=on, then add one with pms sso add.',
      );
}
