import { Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { Public } from '../access/access';
import { clientSignal } from '../http/server/client-signal';
import { AddressLimitsService } from '../limits/address-limits.service';
import { languageOf } from '../pages/language';
import { sendPage } from '../pages/page';
import { PageFormsService } from '../pages/page-forms.service';
import { localPath } from '../pages/redirect';
import { PasswordsOffError } from '../sign-in/sign-in-errors';
import { type LinkOwner, PasswordLinksService } from '../sign-in/password-links.service';
import { SignInService } from '../sign-in/sign-in.service';
import { AccountErrorsFilter } from './account-errors.filter';
import { SetPasswordForm, SignInByLinkForm } from './account-forms';
import { browserOf, errorOf, goOn, HOME } from './account-requests';
import { findByLink } from './links';
import { SetPasswordPage, SignInByLinkPage } from './sign-in-pages';

/** The page of a link with which a user sets a password. Wrong links count as wrong keys. */
@ApiExcludeController()
@UseFilters(AccountErrorsFilter)
@Public()
@Controller('password/:token')
export class PasswordLinkController {
  constructor(
    private readonly forms: PageFormsService,
    private readonly links: PasswordLinksService,
    private readonly signIns: SignInService,
    private readonly addresses: AddressLimitsService,
  ) {}

  @Get()
  async showForm(
    @Req() request: Request,
    @Res() response: Response,
    @Param('token') token: string,
  ): Promise<void> {
    const { userId: name } = await this.find(request, token);
    const page = { language: languageOf(request), token, name };
    sendPage(
      response,
      this.signIns.hasPasswords ? <SetPasswordPage {...page} /> : <SignInByLinkPage {...page} />,
    );
  }

  @Post()
  async setPassword(
    @Req() request: Request,
    @Res() response: Response,
    @Param('token') token: string,
  ): Promise<void> {
    const { userId: name } = await this.find(request, token);
    if (!this.signIns.hasPasswords) {
      const { to } = await this.forms.read(request, response, SignInByLinkForm);
      goOn(response, await this.signIns.signInByLink(token, browserOf(request)), localPath(to, HOME));
      return;
    }
    const form = await this.forms.read(request, response, SetPasswordForm, (error) => (
      <SetPasswordPage
        language={languageOf(request)}
        token={token}
        name={name}
        error={errorOf(request, error)}
      />
    ));
    const progress = await this.signIns.setPassword(
      token,
      form.newPassword,
      browserOf(request),
      clientSignal(response),
    );
    goOn(response, progress, HOME);
  }

  /** @throws PasswordsOffError for a link that sets a password where these are switched off */
  private async find(request: Request, token: string): Promise<LinkOwner> {
    const link = await findByLink(this.addresses, request, token, (given) => this.links.find(given));
    if (!this.signIns.hasPasswords && !link.byOperator) throw new PasswordsOffError();
    return link;
  }
}
