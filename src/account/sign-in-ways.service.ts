import { Injectable } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { type AuthorizedRequest } from '../access/access';
import { IdentitiesService } from '../identity-providers/identities.service';
import { IdentityProvidersService } from '../identity-providers/identity-providers.service';
import { confirmPath, startPath } from '../identity-providers/sso-paths';
import { languageOf } from '../pages/language';
import { ForgottenPasswordsService } from '../sign-in/forgotten-passwords.service';
import { SignInService } from '../sign-in/sign-in.service';
import { WaysInService } from '../users/ways-in.service';
import { AccountFramesService } from './account-frames.service';
import { keepsSessions } from './account-requests';
import { PagePasskeysService } from './page-passkeys.service';
import { type ConfirmPageProps, type SignInPageProps } from './sign-in-pages';

/** Gives the pages to sign in and to confirm it the ways that they offer: passwords, passkeys and identity providers. */
@Injectable()
export class SignInWaysService {
  constructor(
    private readonly signIns: SignInService,
    private readonly forgotten: ForgottenPasswordsService,
    private readonly passkeys: PagePasskeysService,
    private readonly providers: IdentityProvidersService,
    private readonly identities: IdentitiesService,
    private readonly waysIn: WaysInService,
    private readonly frames: AccountFramesService,
  ) {}

  /** For the page to sign in. */
  async forSignIn(request: Request, response: Response): Promise<SignInPageProps> {
    const enabled = await this.providers.listEnabled();
    return {
      language: languageOf(request),
      isSecure: keepsSessions(request),
      hasPasswords: this.signIns.hasPasswords,
      sendsLinks: this.forgotten.isOn,
      passkey: this.passkeys.forSignIn(request, response),
      providers: enabled.map(({ providerKey, name }) => ({ name, path: startPath(providerKey) })),
    };
  }

  /** For the page to confirm a sign-in: the ways that the user has. */
  async forConfirmation(request: AuthorizedRequest, response: Response): Promise<ConfirmPageProps> {
    const { caller } = request;
    const providers = await this.identities.listUsable(caller.id);
    return {
      ...this.frames.of(request),
      hasPassword: await this.waysIn.has('password', caller.id),
      passkey: await this.passkeys.forConfirmation(request, response),
      providers: providers.map(({ providerKey, name }) => ({ name, path: confirmPath(providerKey) })),
    };
  }
}
