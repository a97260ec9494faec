import { Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { Access, type AuthorizedRequest, Public } from '../access/access';
import { EVERYONE } from '../access/role-type';
import { clearSessionCookies } from '../http/response/session-cookies';
import { clientSignal } from '../http/server/client-signal';
import { languageOf } from '../pages/language';
import { sendPage } from '../pages/page';
import { CONFIRM_PATH, SIGN_IN_PATH } from '../pages/page-errors.filter';
import { PageFormsService, SignedForm } from '../pages/page-forms.service';
import { goTo, localPath } from '../pages/redirect';
import { SessionsService } from '../sessions/sessions.service';
import { NewPasswordNeededError } from '../sign-in/sign-in-errors';
import { SignInService } from '../sign-in/sign-in.service';
import { AccountErrorsFilter } from './account-errors.filter';
import { ConfirmForm, NewPasswordForm, SignInForm } from './account-forms';
import { browserOf, callerOf, errorOf, goOn, HOME, targetOf } from './account-requests';
import { ConfirmPage, NewPasswordPage, SignInPage } from './sign-in-pages';
import { SignInWaysService } from './sign-in-ways.service';

const NEW_PASSWORD_PATH = '/sign-in/new-password';

/** The pages to sign in and out. */
@ApiExcludeController()
@UseFilters(AccountErrorsFilter)
@Controller()
export class SignInController {
  constructor(
    private readonly forms: PageFormsService,
    private readonly signIns: SignInService,
    private readonly sessions: SessionsService,
    private readonly ways: SignInWaysService,
  ) {}

  @Get(SIGN_IN_PATH)
  @Public()
  async showSignIn(@Req() request: Request, @Res() response: Response): Promise<void> {
    sendPage(
      response,
      <SignInPage {...await this.ways.forSignIn(request, response)} to={targetOf(request)} />,
    );
  }

  @Post(SIGN_IN_PATH)
  @Public()
  async signIn(@Req() request: Request, @Res() response: Response): Promise<void> {
    const page = await this.ways.forSignIn(request, response);
    const form = await this.forms.read(request, response, SignInForm, (error, values) => {
      const entered = { name: values.get('name'), to: values.get('to') };
      if (error instanceof NewPasswordNeededError) {
        return <NewPasswordPage language={page.language} {...entered} />;
      }
      return <SignInPage {...page} {...entered} error={errorOf(request, error)} />;
    });
    const progress = await this.signIns.signIn(form, browserOf(request), clientSignal(response));
    goOn(response, progress, localPath(form.to, HOME));
  }

  @Post(NEW_PASSWORD_PATH)
  @Public()
  async signInWithNewPassword(@Req() request: Request, @Res() response: Response): Promise<void> {
    const form = await this.forms.read(request, response, NewPasswordForm, (error, entered) => (
      <NewPasswordPage
        language={languageOf(request)}
        name={entered.get('name')}
        to={entered.get('to')}
        error={errorOf(request, error)}
      />
    ));
    const progress = await this.signIns.signIn(form, browserOf(request), clientSignal(response));
    goOn(response, progress, localPath(form.to, HOME));
  }

  @Get(CONFIRM_PATH)
  @Access({ roles: EVERYONE, page: true, needsNoScope: true, beforeSecondFactor: true })
  async showConfirm(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    const page = await this.ways.forConfirmation(request, response);
    sendPage(response, <ConfirmPage {...page} to={targetOf(request)} />);
  }

  @Post(CONFIRM_PATH)
  @Access({ roles: EVERYONE, page: true, needsNoScope: true, beforeSecondFactor: true })
  async confirm(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    const page = await this.ways.forConfirmation(request, response);
    const form = await this.forms.read(request, response, ConfirmForm, (error, entered) => (
      <ConfirmPage {...page} to={entered.get('to')} error={errorOf(request, error)} />
    ));
    const gone = clientSignal(response);
    const caller = callerOf(request);
    const progress = await this.signIns.confirm(caller, form.password, browserOf(request), gone);
    goOn(response, progress, localPath(form.to, HOME));
  }

  @Post('/sign-out')
  @Access({ roles: EVERYONE, page: true, needsNoScope: true, beforeSecondFactor: true })
  async signOut(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    await this.forms.read(request, response, SignedForm);
    const caller = callerOf(request);
    if (caller.session) await this.sessions.end(caller, caller.id, caller.session.id);
    clearSessionCookies(response);
    goTo(response, SIGN_IN_PATH);
  }
}
