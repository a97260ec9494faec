import { Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Response } from 'express';
import { Access, type AuthorizedRequest } from '../access/access';
import { EVERYONE } from '../access/role-type';
import { type MailSettingsDto } from '../mail/dto/mail-settings.dto';
import { MAIL_TOPICS } from '../mail/letter-kind';
import { MAIL_SETTINGS_PATH } from '../mail/mail-settings-path';
import { MailSettingsService } from '../mail/mail-settings.service';
import { LettersService } from '../mail/outbox/letters.service';
import { isTimeZone } from '../mail/notified/digest-time';
import { sendPage } from '../pages/page';
import { PageFormsService, SignedForm } from '../pages/page-forms.service';
import { goTo } from '../pages/redirect';
import { AccountErrorsFilter } from './account-errors.filter';
import { MailSettingsForm } from './account-forms';
import { AccountFramesService } from './account-frames.service';
import { callerOf } from './account-requests';
import { MailSettingsPage } from './mail-pages';
import { MAIL_TEXTS } from './mail-texts';
import { TEXTS } from './texts';

/** The page on which users choose their letters. */
@ApiExcludeController()
@UseFilters(AccountErrorsFilter)
@Access({ roles: EVERYONE, page: true, needsNoScope: true })
@Controller('account/notifications')
export class MailSettingsPageController {
  constructor(
    private readonly forms: PageFormsService,
    private readonly settings: MailSettingsService,
    private readonly letters: LettersService,
    private readonly frames: AccountFramesService,
  ) {}

  @Get()
  async showMailSettings(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    this.send(request, response, await this.settings.get(request.caller.id));
  }

  @Post()
  async changeMailSettings(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    const { id } = request.caller;
    const before = await this.settings.get(id);
    const { isOn } = this.letters;
    const form = await this.forms.read(request, response, MailSettingsForm, (error) => (
      <MailSettingsPage {...this.frames.of(request, error)} settings={before} isOn={isOn} />
    ));
    const { mode, topics, digestHour, timeZone, language } = form;
    const page = this.frames.of(request);
    if (!isTimeZone(timeZone)) {
      const error = MAIL_TEXTS[page.language].wrongTimeZone;
      sendPage(response, <MailSettingsPage {...page} error={error} settings={before} isOn={isOn} />, 400);
      return;
    }
    const changed = await this.settings.update(callerOf(request), id, {
      mode,
      mutedTopics: MAIL_TOPICS.filter((topic) => !topics.includes(topic)),
      digestHour: Number(digestHour),
      timeZone,
      language: language === 'user' ? null : language,
    });
    this.send(request, response, changed, TEXTS[page.language].saved);
  }

  @Post('resume')
  async resumeMail(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    await this.forms.read(request, response, SignedForm);
    await this.settings.resume(callerOf(request), request.caller.id);
    goTo(response, MAIL_SETTINGS_PATH);
  }

  private send(
    request: AuthorizedRequest,
    response: Response,
    settings: MailSettingsDto,
    notice?: string,
  ): void {
    const page = this.frames.of(request);
    sendPage(
      response,
      <MailSettingsPage {...page} notice={notice} settings={settings} isOn={this.letters.isOn} />,
    );
  }
}
