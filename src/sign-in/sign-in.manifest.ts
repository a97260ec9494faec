import { type Manifest } from '../manifest';
import { LoginChallenge } from './entities/login-challenge.entity';
import { PasswordLink } from './entities/password-link.entity';
import { SignInFailures } from './entities/sign-in-failures.entity';

export const signInManifest = {
  disposable: [PasswordLink, LoginChallenge, SignInFailures],
} satisfies Manifest;
