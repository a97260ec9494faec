import { Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { Public } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { challengeTokenOf } from '../http/request/session-cookie';
import { clearChallengeCookie } from '../http/response/session-cookies';
import { AddressLimitsService } from '../limits/address-limits.service';
import { languageOf } from '../pages/language';
import { sendPage } from '../pages/page';
import { PageErrorsFilter, SIGN_IN_PATH } from '../pages/page-errors.filter';
import { PageFormsService } from '../pages/page-forms.service';
import { goTo, localPath } from '../pages/redirect';
import { SecondStepService } from '../sign-in/second-step.service';
import { SecondFactorForm } from './account-forms';
import { browserOf, errorOf, giveSession, HOME, SECOND_FACTOR_PATH, targetOf } from './account-requests';
import { SecondFactorPage } from './sign-in-pages';

/** The page for the second factor, after the password or a link. */
@ApiExcludeController()
@UseFilters(PageErrorsFilter)
@Public()
@Controller(SECOND_FACTOR_PATH)
export class SecondFactorController {
  constructor(
    private readonly forms: PageFormsService,
    private readonly steps: SecondStepService,
    private readonly addresses: AddressLimitsService,
  ) {}

  @Get()
  async showSecondFactor(@Req() request: Request, @Res() response: Response): Promise<void> {
    if ((await this.findChallenge(request)) === undefined) {
      goTo(response, SIGN_IN_PATH);
      return;
    }
    sendPage(response, <SecondFactorPage language={languageOf(request)} to={targetOf(request)} />);
  }

  @Post()
  async enterSecondFactor(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { code, to } = await this.forms.read(request, response, SecondFactorForm, (error, entered) => (
      <SecondFactorPage
        language={languageOf(request)}
        to={entered.get('to')}
        error={errorOf(request, error)}
      />
    ));
    try {
      const challenge = await this.findChallenge(request);
      if (challenge === undefined) throw new NoResourceError('challenge');
      const session = await this.steps.finish(challenge, code, browserOf(request));
      clearChallengeCookie(response);
      giveSession(response, session, localPath(to, HOME));
    } catch (error) {
      if (!(error instanceof NoResourceError)) throw error;
      // It has ended: the user begins again.
      clearChallengeCookie(response);
      goTo(response, SIGN_IN_PATH);
    }
  }
  /** Returns the token of the browser's challenge, if it waits for a code. Wrong ones count as wrong keys. */
  private async findChallenge(request: Request): Promise<string | undefined> {
    const challenge = challengeTokenOf(request);
    if (challenge === undefined) return undefined;
    return this.addresses.lookUp(request, async () =>
      (await this.steps.isOpen(challenge)) ? challenge : undefined,
    );
  }
}
