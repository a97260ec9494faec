import { Controller, Get, Param, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { Access, type AuthorizedRequest, Public } from '../access/access';
import { EVERYONE } from '../access/role-type';
import { Environment } from '../config/environment';
import { sessionTokenOf, ssoTokenOf } from '../http/request/session-cookie';
import { clearSsoCookie } from '../http/response/session-cookies';
import { AttemptPurpose } from '../identity-providers/sign-in/attempt-purpose';
import { SingleSignOnService } from '../identity-providers/sign-in/single-sign-on.service';
import { AddressLimitsService } from '../limits/address-limits.service';
import { languageOf } from '../pages/language';
import { goTo, localPath } from '../pages/redirect';
import { SessionsService } from '../sessions/sessions.service';
import { AccountErrorsFilter } from './account-errors.filter';
import { browserOf, goOn, HOME, targetOf } from './account-requests';
import { depart, redirectUriOf, showingFailures } from './sso-requests';

/**
 * Leads browsers to identity providers and back. A GET begins a sign-in, because it changes nothing but the browser's cookie: it can only end
 * in the account of whoever signs in at the provider.
 */
@ApiExcludeController()
@UseFilters(AccountErrorsFilter)
@Controller('sign-in')
export class SsoController {
  constructor(
    private readonly environment: Environment,
    private readonly signOn: SingleSignOnService,
    private readonly sessions: SessionsService,
    private readonly addresses: AddressLimitsService,
  ) {}

  @Get('sso/:providerKey')
  @Public()
  beginSignIn(
    @Req() request: Request,
    @Res() response: Response,
    @Param('providerKey') key: string,
  ): Promise<void> {
    return this.begin(request, response, key, AttemptPurpose.SignIn);
  }

  @Get('confirm/sso/:providerKey')
  @Access({ roles: EVERYONE, page: true, needsNoScope: true, beforeSecondFactor: true })
  beginConfirm(
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
    @Param('providerKey') key: string,
  ): Promise<void> {
    return this.begin(request, response, key, AttemptPurpose.Confirm);
  }

  @Get('sso/:providerKey/callback')
  @Public()
  comeBack(
    @Req() request: Request,
    @Res() response: Response,
    @Param('providerKey') key: string,
  ): Promise<void> {
    return showingFailures(request, response, async () => {
      const token = ssoTokenOf(request);
      const { originalUrl } = request;
      const query = new URLSearchParams(originalUrl.slice(originalUrl.indexOf('?') + 1));
      const attempt = await this.addresses.lookUp(request, () => this.signOn.take({ token, query }));
      if (!attempt) return this.signOn.refuse({ key, token, query });
      clearSsoCookie(response);
      const { progress, target } = await this.signOn.arrive(attempt, {
        key,
        redirectUri: redirectUriOf(request, this.environment, key),
        query,
        token,
        browser: browserOf(request),
        user: attempt.sessionId === null ? undefined : await this.userOf(request),
        lang: languageOf(request),
      });
      if (progress) goOn(response, progress, target);
      else goTo(response, target);
    });
  }

  private begin(request: Request, response: Response, key: string, purpose: AttemptPurpose): Promise<void> {
    return showingFailures(request, response, async () => {
      const target = localPath(targetOf(request), HOME);
      goTo(
        response,
        await depart(this.signOn, this.environment, request, response, { key, purpose, target }),
      );
    });
  }

  private async userOf(request: Request): Promise<{ id: number; sessionId: number } | undefined> {
    const token = sessionTokenOf(request);
    const caller = token === undefined ? undefined : await this.sessions.authenticate(token);
    return caller?.session && { id: caller.id, sessionId: caller.session.id };
  }
}
