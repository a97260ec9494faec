import { Controller, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { Access, type AuthorizedRequest, Public } from '../access/access';
import { EVERYONE } from '../access/role-type';
import { ExpiredChallengeError } from '../errors/domain-errors';
import { passkeyTokenOf } from '../http/request/session-cookie';
import { clearPasskeyCookie } from '../http/response/session-cookies';
import { PageFormsService } from '../pages/page-forms.service';
import { localPath } from '../pages/redirect';
import { PasskeySignInService } from '../sign-in/passkey-sign-in.service';
import { AccountErrorsFilter } from './account-errors.filter';
import { ConfirmPasskeyForm, PasskeyForm } from './account-forms';
import { browserOf, callerOf, errorOf, giveSession, HOME } from './account-requests';
import { PagePasskeysService } from './page-passkeys.service';
import { ConfirmPage, PASSKEY_PATHS, SignInPage } from './sign-in-pages';
import { SignInWaysService } from './sign-in-ways.service';

/** Signing in with a passkey in place of the password; the forms are on the pages for passwords. */
@ApiExcludeController()
@UseFilters(AccountErrorsFilter)
@Controller()
export class PasskeySignInController {
  constructor(
    private readonly forms: PageFormsService,
    private readonly signIns: PasskeySignInService,
    private readonly passkeys: PagePasskeysService,
    private readonly ways: SignInWaysService,
  ) {}

  @Post(PASSKEY_PATHS.signIn)
  @Public()
  async signInWithPasskey(@Req() request: Request, @Res() response: Response): Promise<void> {
    const page = await this.ways.forSignIn(request, response);
    const { to, ...answer } = await this.forms.read(request, response, PasskeyForm, (error, entered) => (
      <SignInPage {...page} to={entered.get('to')} error={errorOf(request, error)} />
    ));
    const party = this.passkeys.partyOf(request);
    const bearer = passkeyTokenOf(request);
    // The cookie lasts as long as the challenge.
    if (bearer === undefined) throw new ExpiredChallengeError();
    const session = await this.signIns.signIn(answer, bearer, party, browserOf(request));
    clearPasskeyCookie(response);
    giveSession(response, session, localPath(to, HOME));
  }

  @Post(PASSKEY_PATHS.confirm)
  @Access({ roles: EVERYONE, page: true, needsNoScope: true, beforeSecondFactor: true })
  async confirmWithPasskey(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    const page = await this.ways.forConfirmation(request, response);
    const form = await this.forms.read(request, response, ConfirmPasskeyForm, (error, entered) => (
      <ConfirmPage {...page} to={entered.get('to')} error={errorOf(request, error)} />
    ));
    const party = this.passkeys.partyOf(request);
    const session = await this.signIns.confirm(callerOf(request), form, party, browserOf(request));
    giveSession(response, session, localPath(form.to, HOME));
  }
}
