import { type Manifest } from '../manifest';
import { PasswordLink } from './entities/password-link.entity';
import { SignInFailures } from './entities/sign-in-failures.entity';

export const signInManifest = { disposable: [PasswordLink, SignInFailures] } satisfies Manifest;
