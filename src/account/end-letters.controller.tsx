import { Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { Public } from '../access/access';
import { AddressLimitsService } from '../limits/address-limits.service';
import { type MailModeName } from '../mail/letter-kind';
import { MailSettingsService } from '../mail/mail-settings.service';
import { languageOf } from '../pages/language';
import { sendPage } from '../pages/page';
import { PageFormsService } from '../pages/page-forms.service';
import { UsersService } from '../users/users.service';
import { AccountErrorsFilter } from './account-errors.filter';
import { RestartLettersForm } from './account-forms';
import { findByLink } from './links';
import { EndLettersPage, LettersEndedPage } from './mail-pages';

/**
 * The page of a link in a letter that ends further ones. Opening it changes nothing, because programs that check letters for viruses open links.
 * Mail programs send the POST of RFC 8058 for the user, without cookies and from anywhere: the token alone is the proof. Wrong links count as wrong
 * keys.
 */
@ApiExcludeController()
@UseFilters(AccountErrorsFilter)
@Public()
@Controller('mail/unsubscribe/:token')
export class EndLettersController {
  constructor(
    private readonly settings: MailSettingsService,
    private readonly users: UsersService,
    private readonly forms: PageFormsService,
    private readonly addresses: AddressLimitsService,
  ) {}

  @Get()
  async showEndLetters(
    @Req() request: Request,
    @Res() response: Response,
    @Param('token') token: string,
  ): Promise<void> {
    const { userId } = await this.find(request, token);
    const { userId: name } = await this.users.get(userId);
    sendPage(response, <EndLettersPage language={languageOf(request)} token={token} name={name} />);
  }

  @Post()
  async endLetters(
    @Req() request: Request,
    @Res() response: Response,
    @Param('token') token: string,
  ): Promise<void> {
    const { mode } = await this.find(request, token);
    await this.settings.setModeByToken(token, 'none');
    sendPage(response, <LettersEndedPage language={languageOf(request)} token={token} former={mode} />);
  }

  @Post('undo')
  async restartLetters(
    @Req() request: Request,
    @Res() response: Response,
    @Param('token') token: string,
  ): Promise<void> {
    await this.find(request, token);
    const { mode } = await this.forms.read(request, response, RestartLettersForm);
    await this.settings.setModeByToken(token, mode);
    sendPage(response, <LettersEndedPage language={languageOf(request)} token={token} />);
  }

  private find(request: Request, token: string): Promise<{ userId: number; mode: MailModeName }> {
    return findByLink(this.addresses, request, token, (given) => this.settings.findByToken(given));
  }
}
