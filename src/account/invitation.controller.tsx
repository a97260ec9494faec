import { Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { Public } from '../access/access';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { clientSignal } from '../http/server/client-signal';
import {
  InvitationAcceptanceService,
  type OpenInvitation,
} from '../invitations/invitation-acceptance.service';
import { AddressLimitsService } from '../limits/address-limits.service';
import { languageOf } from '../pages/language';
import { sendPage } from '../pages/page';
import { PageErrorsFilter } from '../pages/page-errors.filter';
import { PageFormsService } from '../pages/page-forms.service';
import { TakenUserIdError } from '../users/user-errors';
import { AcceptInvitationForm } from './account-forms';
import { browserOf, errorOf, giveSession, HOME } from './account-requests';
import { findByLink } from './links';
import { AcceptancePage } from './invitation-pages';
import { INVITATION_TEXTS } from './invitation-texts';

/** The page of an invitation. Wrong links count as wrong keys. */
@ApiExcludeController()
@UseFilters(PageErrorsFilter)
@Public()
@Controller('invitation/:token')
export class InvitationController {
  constructor(
    private readonly forms: PageFormsService,
    private readonly acceptance: InvitationAcceptanceService,
    private readonly addresses: AddressLimitsService,
  ) {}

  @Get()
  async showForm(
    @Req() request: Request,
    @Res() response: Response,
    @Param('token') token: string,
  ): Promise<void> {
    const { mailAddress, suggestedName } = await this.find(request, token);
    const page = { language: languageOf(request), token, mailAddress };
    sendPage(response, <AcceptancePage {...page} userId={suggestedName} />);
  }

  @Post()
  async accept(
    @Req() request: Request,
    @Res() response: Response,
    @Param('token') token: string,
  ): Promise<void> {
    const { mailAddress } = await this.find(request, token);
    const language = languageOf(request);
    const form = await this.forms.read(request, response, AcceptInvitationForm, (error, entered) => {
      // The form is of no use any more: somebody else has used the link meanwhile.
      if (error instanceof NoResourceError) return undefined;
      const userIdError = userIdErrorOf(request, error);
      return (
        <AcceptancePage
          language={language}
          token={token}
          mailAddress={mailAddress}
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

  private find(request: Request, token: string): Promise<OpenInvitation> {
    return findByLink(this.addresses, request, token, (given) => this.acceptance.find(given));
  }
}

/** Returns what is wrong with the login name, if nothing else is. */
function userIdErrorOf(request: Request, error: unknown): string | undefined {
  const texts = INVITATION_TEXTS[languageOf(request)];
  if (error instanceof TakenUserIdError) return texts.nameTaken;
  const isOfName =
    error instanceof InvalidRequestError && error.problems.every(({ moreInfo }) => moreInfo === 'userId');
  return isOfName ? texts.nameRule : undefined;
}
