import { Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Response } from 'express';
import { Access, type AuthorizedRequest } from '../access/access';
import { EVERYONE } from '../access/role-type';
import { sendPage } from '../pages/page';
import { PageErrorsFilter } from '../pages/page-errors.filter';
import { PageFormsService, SignedForm } from '../pages/page-forms.service';
import { FACTORS_PATH } from '../pages/page-paths';
import { goTo } from '../pages/redirect';
import { EnrolmentService } from '../second-factors/enrolment.service';
import { SecondFactorsService } from '../second-factors/second-factors.service';
import { ConfirmAppForm } from './account-forms';
import { accountPageOf, callerOf } from './account-requests';
import { FactorsPage, NewAppPage, RecoveryCodesPage } from './factor-pages';

const APP_PATH = `${FACTORS_PATH}/app`;

/** The pages on which users set up and remove their second factor. */
@ApiExcludeController()
@UseFilters(PageErrorsFilter)
@Access({
  roles: EVERYONE,
  page: true,
  needsNoScope: true,
  needsRecentSignIn: true,
  beforeSecondFactor: true,
})
@Controller('account/factors')
export class FactorsController {
  constructor(
    private readonly forms: PageFormsService,
    private readonly factors: SecondFactorsService,
    private readonly enrolment: EnrolmentService,
  ) {}

  @Get()
  async showFactors(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    const { caller } = request;
    const factors = await this.factors.get(caller.id);
    const isRequired = caller.lacksFactor === true && !factors.totp;
    sendPage(response, <FactorsPage {...accountPageOf(request)} factors={factors} isRequired={isRequired} />);
  }

  @Post('begin')
  async beginFactor(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    await this.forms.read(request, response, SignedForm);
    await this.enrolment.begin(request.caller.id);
    goTo(response, APP_PATH);
  }

  @Get('app')
  async showNewApp(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    const totp = await this.enrolment.findBegun(request.caller.id);
    if (totp) sendPage(response, <NewAppPage {...accountPageOf(request)} totp={totp} />);
    else goTo(response, FACTORS_PATH);
  }

  @Post('app')
  async confirmApp(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    const totp = await this.enrolment.findBegun(request.caller.id);
    if (!totp) {
      goTo(response, FACTORS_PATH);
      return;
    }
    const { code } = await this.forms.read(request, response, ConfirmAppForm, (error) => (
      <NewAppPage {...accountPageOf(request, error)} totp={totp} />
    ));
    const codes = await this.enrolment.confirm(callerOf(request), code);
    sendPage(response, <RecoveryCodesPage {...accountPageOf(request)} codes={codes} />);
  }

  @Post('recovery-codes')
  async renewRecoveryCodes(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    await this.forms.read(request, response, SignedForm);
    const codes = await this.enrolment.renewCodes(callerOf(request));
    sendPage(response, <RecoveryCodesPage {...accountPageOf(request)} codes={codes} />);
  }

  @Post('remove')
  async removeFactors(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    await this.forms.read(request, response, SignedForm);
    await this.factors.remove(callerOf(request), request.caller.id);
    goTo(response, FACTORS_PATH);
  }
}
