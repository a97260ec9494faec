import { Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Response } from 'express';
import { Access, type AuthorizedRequest } from '../access/access';
import { RoleType } from '../access/role-type';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { type MailTestDto } from '../mail/dto/mail-test.dto';
import { MailSettingsService } from '../mail/mail-settings.service';
import { MailStatusService } from '../mail/mail-status.service';
import { TestLettersService } from '../mail/sending/test-letters.service';
import { sendPage } from '../pages/page';
import { PageFormsService, SignedForm } from '../pages/page-forms.service';
import { MAIL_STATUS_PATH } from '../pages/page-paths';
import { goTo } from '../pages/redirect';
import { AccountErrorsFilter } from './account-errors.filter';
import { AccountFramesService } from './account-frames.service';
import { callerOf } from './account-requests';
import { MailStatusPage } from './mail-status-pages';

/** The page on which Administrators see whether mail arrives. */
@ApiExcludeController()
@UseFilters(AccountErrorsFilter)
@Access({ roles: [RoleType.Administrator], page: true, needsNoScope: true })
@Controller('account/mail')
export class MailStatusPageController {
  constructor(
    private readonly forms: PageFormsService,
    private readonly status: MailStatusService,
    private readonly settings: MailSettingsService,
    private readonly tests: TestLettersService,
    private readonly frames: AccountFramesService,
  ) {}

  @Get()
  showMailStatus(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    return this.show(request, response);
  }

  @Post('test')
  async sendTestLetter(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    await this.forms.read(request, response, SignedForm);
    await this.show(request, response, await this.tests.send(request.caller.id));
  }

  @Post(':userId/resume')
  async resumeMail(
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
    @Param('userId') userId: string,
  ): Promise<void> {
    await this.forms.read(request, response, SignedForm);
    const id = parseId(userId);
    if (id === undefined) throw new NoResourceError('user');
    await this.settings.resume(callerOf(request), id);
    goTo(response, MAIL_STATUS_PATH);
  }

  private async show(request: AuthorizedRequest, response: Response, test?: MailTestDto): Promise<void> {
    const status = await this.status.get();
    sendPage(response, <MailStatusPage {...this.frames.of(request)} status={status} test={test} />);
  }
}
