import { Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { Public } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { challengeTokenOf } from '../http/request/session-cookie';
import { clearChallengeCookie } from '../http/response/session-cookies';
import { AddressLimitsService } from '../limits/address-limits.service';
import { type Language, languageOf } from '../pages/language';
import { sendPage } from '../pages/page';
import { SIGN_IN_PATH } from '../pages/page-errors.filter';
import { PageFormsService } from '../pages/page-forms.service';
import { goTo, localPath } from '../pages/redirect';
import { type RequestOptions } from '../second-factors/passkeys/passkey-checks.service';
import { SecondFactorsService } from '../second-factors/second-factors.service';
import { SecondStepService } from '../sign-in/second-step.service';
import { AccountErrorsFilter } from './account-errors.filter';
import { PasskeyForm, SecondFactorForm } from './account-forms';
import { browserOf, errorOf, giveSession, HOME, SECOND_FACTOR_PATH, targetOf } from './account-requests';
import { PagePasskeysService } from './page-passkeys.service';
import { SecondFactorPage } from './sign-in-pages';

/** A sign-in that waits for a second factor. */
interface OpenStep {
  challenge: string;
  userId: number;
}

/** The page for the second factor, after the password or a link. */
@ApiExcludeController()
@UseFilters(AccountErrorsFilter)
@Public()
@Controller(SECOND_FACTOR_PATH)
export class SecondFactorController {
  constructor(
    private readonly forms: PageFormsService,
    private readonly steps: SecondStepService,
    private readonly factors: SecondFactorsService,
    private readonly passkeys: PagePasskeysService,
    private readonly addresses: AddressLimitsService,
  ) {}

  @Get()
  async showSecondFactor(@Req() request: Request, @Res() response: Response): Promise<void> {
    const step = await this.findStep(request);
    if (step) {
      const page = await this.pageOf(request, response, step);
      sendPage(response, <SecondFactorPage {...page} to={targetOf(request)} />);
    } else goTo(response, SIGN_IN_PATH);
  }

  @Post()
  enterSecondFactor(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.finish(request, response, SecondFactorForm, ({ challenge }, { code }) =>
      this.steps.finish(challenge, code, browserOf(request)),
    );
  }

  @Post('passkey')
  usePasskey(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.finish(request, response, PasskeyForm, ({ challenge }, answer) =>
      this.steps.finishWithPasskey(challenge, answer, this.passkeys.partyOf(request), browserOf(request)),
    );
  }

  private async finish<Fields extends { to?: string }>(
    request: Request,
    response: Response,
    formClass: new () => Fields,
    use: (step: OpenStep, fields: Fields) => Promise<string>,
  ): Promise<void> {
    try {
      const step = await this.findStep(request);
      if (!step) throw new NoResourceError('challenge');
      const page = await this.pageOf(request, response, step);
      const fields = await this.forms.read(request, response, formClass, (error, entered) => (
        <SecondFactorPage {...page} to={entered.get('to')} error={errorOf(request, error)} />
      ));
      const session = await use(step, fields);
      clearChallengeCookie(response);
      giveSession(response, session, localPath(fields.to, HOME));
    } catch (error) {
      if (!(error instanceof NoResourceError)) throw error;
      // It has ended: the user begins again.
      clearChallengeCookie(response);
      goTo(response, SIGN_IN_PATH);
    }
  }

  private async pageOf(
    request: Request,
    response: Response,
    step: OpenStep,
  ): Promise<{ language: Language; hasApp: boolean; passkey: RequestOptions | undefined }> {
    return {
      language: languageOf(request),
      hasApp: await this.factors.hasApp(step.userId),
      passkey: await this.passkeys.forSecondStep(request, response, step),
    };
  }

  /** Returns the browser's challenge, if it waits for a second factor. Wrong ones count as wrong keys. */
  private async findStep(request: Request): Promise<OpenStep | undefined> {
    const challenge = challengeTokenOf(request);
    if (challenge === undefined) return undefined;
    return this.addresses.lookUp(request, async () => {
      const userId = await this.steps.findUser(challenge);
      return userId === undefined ? undefined : { challenge, userId };
    });
  }
}
