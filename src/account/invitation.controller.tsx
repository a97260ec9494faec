import { Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { Public } from '../access/access';
import { requireOwnForm } from '../access/own-pages';
import { Environment } from '../config/environment';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { clientSignal } from '../http/server/client-signal';
import { IdentityProvidersService } from '../identity-providers/identity-providers.service';
import { AttemptPurpose } from '../identity-providers/sign-in/attempt-purpose';
import { SingleSignOnService } from '../identity-providers/sign-in/single-sign-on.service';
import {
  InvitationAcceptanceService,
  type OpenInvitation,
} from '../invitations/invitation-acceptance.service';
import { AddressLimitsService } from '../limits/address-limits.service';
import { languageOf } from '../pages/language';
import { sendPage } from '../pages/page';
import { PageFormsService } from '../pages/page-forms.service';
import { SignInService } from '../sign-in/sign-in.service';
import { TakenUserIdError } from '../users/user-errors';
import { AccountErrorsFilter } from './account-errors.filter';
import { AcceptInvitationForm } from './account-forms';
import { browserOf, errorOf, giveSession, HOME } from './account-requests';
import { findByLink } from './links';
import { AcceptancePage, type AcceptancePageProps } from './invitation-pages';
import { INVITATION_TEXTS } from './invitation-texts';
import { LeavingPage } from './sso-pages';
import { depart, showingFailures } from './sso-requests';

/** The page of an invitation. Wrong links count as wrong keys. */
@ApiExcludeController()
@UseFilters(AccountErrorsFilter)
@Public()
@Controller('invitation/:token')
export class InvitationController {
  constructor(
    private readonly environment: Environment,
    private readonly forms: PageFormsService,
    private readonly signIns: SignInService,
    private readonly providers: IdentityProvidersService,
    private readonly signOn: SingleSignOnService,
    private readonly acceptance: InvitationAcceptanceService,
    private readonly addresses: AddressLimitsService,
  ) {}

  @Get()
  async showForm(
    @Req() request: Request,
    @Res() response: Response,
    @Param('token') token: string,
  ): Promise<void> {
    const invitation = await this.find(request, token);
    const page = await this.pageOf(request, token, invitation);
    sendPage(response, <AcceptancePage {...page} userId={invitation.suggestedName} />);
  }

  @Post()
  async accept(
    @Req() request: Request,
    @Res() response: Response,
    @Param('token') token: string,
  ): Promise<void> {
    const page = await this.pageOf(request, token, await this.find(request, token));
    const { language } = page;
    const form = await this.forms.read(request, response, AcceptInvitationForm, (error, entered) => {
      // The form is of no use any more: somebody else has used the link meanwhile.
      if (error instanceof NoResourceError) return undefined;
      const userIdError = userIdErrorOf(request, error);
      return (
        <AcceptancePage
          {...page}
          userId={entered.get('userId')}
          name={entered.get('name')}
          userIdError={userIdError}
          error={userIdError === undefined ? errorOf(request, error) : undefined}
        />
      );
    });
    const session = await this.acceptance.accept(
      token,
      { userId: form.userId, name: form.name, password: form.newPassword, lang: language },
      browserOf(request),
      clientSignal(response),
    );
    giveSession(response, session, HOME);
  }

  /** Begins with a form: otherwise, another site could make a person who is signed in at the provider a user. */
  @Post('sso/:providerKey')
  joinWithProvider(
    @Req() request: Request,
    @Res() response: Response,
    @Param('token') token: string,
    @Param('providerKey') key: string,
  ): Promise<void> {
    return showingFailures(request, response, async () => {
      requireOwnForm(request);
      await this.find(request, token);
      const provider = (await this.providers.listEnabled()).find(({ providerKey }) => providerKey === key);
      if (!provider) throw new NoResourceError('identity provider');
      const url = await depart(this.signOn, this.environment, request, response, {
        key,
        purpose: AttemptPurpose.Join,
        target: HOME,
        invitation: token,
      });
      sendPage(response, <LeavingPage language={languageOf(request)} name={provider.name} url={url} />);
    });
  }

  /** Reads what the page shows: the ways to accept. */
  private async pageOf(
    request: Request,
    token: string,
    { mailAddress }: OpenInvitation,
  ): Promise<AcceptancePageProps> {
    const providers = (await this.providers.listEnabled()).map(({ providerKey, name }) => ({
      name,
      path: `${invitationPath(token)}/sso/${providerKey}`,
    }));
    const { hasPasswords } = this.signIns;
    return {
      language: languageOf(request),
      path: invitationPath(token),
      mailAddress,
      hasPasswords,
      providers,
    };
  }

  private find(request: Request, token: string): Promise<OpenInvitation> {
    return findByLink(this.addresses, request, token, (given) => this.acceptance.find(given));
  }
}

const invitationPath = (token: string): string => `/invitation/${token}`;

/** Returns what is wrong with the login name, if nothing else is. */
function userIdErrorOf(request: Request, error: unknown): string | undefined {
  const texts = INVITATION_TEXTS[languageOf(request)];
  if (error instanceof TakenUserIdError) return texts.nameTaken;
  const isOfName =
    error instanceof InvalidRequestError && error.problems.every(({ moreInfo }) => moreInfo === 'userId');
  return isOfName ? texts.nameRule : undefined;
}
