import { Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { Public } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { addressGroup, clientAddress } from '../http/request/client-address';
import { AddressLimitsService } from '../limits/address-limits.service';
import { languageOf } from '../pages/language';
import { sendPage } from '../pages/page';
import { PageFormsService } from '../pages/page-forms.service';
import { ForgottenPasswordsService } from '../sign-in/forgotten-passwords.service';
import { AccountErrorsFilter } from './account-errors.filter';
import { ForgottenPasswordForm } from './account-forms';
import { errorOf } from './account-requests';
import { ForgottenPasswordPage } from './mail-pages';

/** The page on which people ask for a link to set a new password, if the service sends mail. Each request counts as a wrong key. */
@ApiExcludeController()
@UseFilters(AccountErrorsFilter)
@Public()
@Controller('password/forgotten')
export class ForgottenPasswordController {
  constructor(
    private readonly forms: PageFormsService,
    private readonly forgotten: ForgottenPasswordsService,
    private readonly addresses: AddressLimitsService,
  ) {}

  @Get()
  showForgottenPassword(@Req() request: Request, @Res() response: Response): void {
    this.requireMail();
    sendPage(response, <ForgottenPasswordPage language={languageOf(request)} />);
  }

  @Post()
  async requestLink(@Req() request: Request, @Res() response: Response): Promise<void> {
    this.requireMail();
    const { name } = await this.forms.read(request, response, ForgottenPasswordForm, (error) => (
      <ForgottenPasswordPage language={languageOf(request)} error={errorOf(request, error)} />
    ));
    // Whoever asks has proved nothing, whether or not there is such a user.
    await this.addresses.countFailedKey(request);
    await this.forgotten.request(name, addressGroup(clientAddress(request)));
    sendPage(response, <ForgottenPasswordPage language={languageOf(request)} isSent />);
  }

  private requireMail(): void {
    if (!this.forgotten.isOn) throw new NoResourceError('page');
  }
}
