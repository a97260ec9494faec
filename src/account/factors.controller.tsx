import { Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Response } from 'express';
import { Access, type AuthorizedRequest } from '../access/access';
import { EVERYONE } from '../access/role-type';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { sendPage } from '../pages/page';
import { PageFormsService, SignedForm } from '../pages/page-forms.service';
import { FACTORS_PATH } from '../pages/page-paths';
import { goTo } from '../pages/redirect';
import { EnrolmentService } from '../second-factors/enrolment.service';
import { PasskeysService } from '../second-factors/passkeys/passkeys.service';
import { hasFactor, SecondFactorsService } from '../second-factors/second-factors.service';
import { AccountErrorsFilter } from './account-errors.filter';
import { AddPasskeyForm, ConfirmAppForm, RenamePasskeyForm } from './account-forms';
import { AccountFramesService } from './account-frames.service';
import { callerOf, errorOf } from './account-requests';
import { FactorsPage, type FactorsPageProps, NewAppPage, RecoveryCodesPage } from './factor-pages';
import { PagePasskeysService } from './page-passkeys.service';

const APP_PATH = `${FACTORS_PATH}/app`;

/** The pages on which users set up and remove their second factors. */
@ApiExcludeController()
@UseFilters(AccountErrorsFilter)
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
    private readonly passkeys: PasskeysService,
    private readonly pagePasskeys: PagePasskeysService,
    private readonly frames: AccountFramesService,
  ) {}

  @Get()
  async showFactors(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    sendPage(response, <FactorsPage {...await this.pageOf(request, response)} />);
  }

  @Post('passkeys')
  async addPasskey(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    const page = await this.pageOf(request, response);
    const form = await this.forms.read(request, response, AddPasskeyForm, (error, entered) => (
      <FactorsPage {...page} entered={entered} error={errorOf(request, error)} />
    ));
    const party = this.pagePasskeys.partyOf(request);
    this.sendCodes(request, response, await this.passkeys.add(callerOf(request), form, party));
  }

  @Post('passkeys/:passkeyId')
  async renamePasskey(
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
    @Param('passkeyId') passkeyId: string,
  ): Promise<void> {
    const page = await this.pageOf(request, response);
    const { name } = await this.forms.read(request, response, RenamePasskeyForm, (error) => (
      <FactorsPage {...page} error={errorOf(request, error)} />
    ));
    await this.passkeys.rename(callerOf(request), request.caller.id, idOf(passkeyId), name);
    goTo(response, FACTORS_PATH);
  }

  @Post('passkeys/:passkeyId/remove')
  async removePasskey(
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
    @Param('passkeyId') passkeyId: string,
  ): Promise<void> {
    await this.readButton(request, response);
    await this.passkeys.remove(callerOf(request), request.caller.id, idOf(passkeyId));
    goTo(response, FACTORS_PATH);
  }

  @Post('begin')
  async beginFactor(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    await this.readButton(request, response);
    await this.enrolment.begin(request.caller.id);
    goTo(response, APP_PATH);
  }

  @Get('app')
  async showNewApp(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    const totp = await this.enrolment.findBegun(request.caller.id);
    if (totp) sendPage(response, <NewAppPage {...this.frames.of(request)} totp={totp} />);
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
      <NewAppPage {...this.frames.of(request, error)} totp={totp} />
    ));
    this.sendCodes(request, response, await this.enrolment.confirm(callerOf(request), code));
  }

  @Post('app/remove')
  async removeApp(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    await this.readButton(request, response);
    await this.factors.removeApp(callerOf(request), request.caller.id);
    goTo(response, FACTORS_PATH);
  }

  @Post('recovery-codes')
  async renewRecoveryCodes(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    await this.readButton(request, response);
    this.sendCodes(request, response, await this.enrolment.renewCodes(callerOf(request)));
  }

  @Post('remove')
  async removeFactors(@Req() request: AuthorizedRequest, @Res() response: Response): Promise<void> {
    await this.readButton(request, response);
    await this.factors.remove(callerOf(request), request.caller.id);
    goTo(response, FACTORS_PATH);
  }

  /** Reads the form of a button of the page, which shows the error if there is one. */
  private async readButton(request: AuthorizedRequest, response: Response): Promise<void> {
    const page = await this.pageOf(request, response);
    await this.forms.read(request, response, SignedForm, (error) => (
      <FactorsPage {...page} error={errorOf(request, error)} />
    ));
  }

  private async pageOf(request: AuthorizedRequest, response: Response): Promise<FactorsPageProps> {
    const { caller } = request;
    const factors = await this.factors.get(caller.id);
    return {
      ...this.frames.of(request),
      factors,
      newPasskey: await this.pagePasskeys.forAdding(request, response),
      isRequired: caller.lacksFactor === true && !hasFactor(factors),
    };
  }

  /** Shows recovery codes to a user who has got new ones, and otherwise their second factors. */
  private sendCodes(
    request: AuthorizedRequest,
    response: Response,
    codes: readonly string[] | undefined,
  ): void {
    if (codes) sendPage(response, <RecoveryCodesPage {...this.frames.of(request)} codes={codes} />);
    else goTo(response, FACTORS_PATH);
  }
}

/** @throws NoResourceError */
function idOf(passkeyId: string): number {
  const id = parseId(passkeyId);
  if (id === undefined) throw new NoResourceError('passkey');
  return id;
}
