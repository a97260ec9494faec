import { Injectable } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { type AuthorizedRequest } from '../access/access';
import { WrongPasskeyError } from '../errors/domain-errors';
import { passkeyTokenOf } from '../http/request/session-cookie';
import { setPasskeyCookie } from '../http/response/session-cookies';
import { allowScript } from '../pages/page';
import { CHALLENGE_MS } from '../second-factors/passkeys/passkey-challenges.service';
import { type RequestOptions } from '../second-factors/passkeys/passkey-checks.service';
import { type CreationOptions, PasskeysService } from '../second-factors/passkeys/passkeys.service';
import { type RelyingParty, RelyingPartyService } from '../second-factors/passkeys/relying-party.service';
import { PasskeySignInService } from '../sign-in/passkey-sign-in.service';
import { SecondStepService } from '../sign-in/second-step.service';
import { generateToken } from '../users/token';
import { callerOf, keepsSessions } from './account-requests';

/**
 * Gives pages what the browser needs to use or make a passkey, and their responses the script. Each method returns undefined where no passkey
 * can be used: at an address without a host name, or for a user without passkeys.
 */
@Injectable()
export class PagePasskeysService {
  constructor(
    private readonly parties: RelyingPartyService,
    private readonly passkeys: PasskeysService,
    private readonly signIns: PasskeySignInService,
    private readonly steps: SecondStepService,
  ) {}

  /** For the sign-in page. Gives the browser a cookie to which its challenges are bound; several open pages have the same. */
  forSignIn(request: Request, response: Response): RequestOptions | undefined {
    const party = keepsSessions(request) ? this.parties.find(request) : undefined;
    if (!party) return undefined;
    allowScript(response);
    const token = passkeyTokenOf(request) ?? generateToken();
    setPasskeyCookie(response, token, CHALLENGE_MS);
    return this.signIns.signInOptions(token, party);
  }

  /** For the page that confirms a sign-in. */
  async forConfirmation(request: AuthorizedRequest, response: Response): Promise<RequestOptions | undefined> {
    const party = this.parties.find(request);
    if (!party) return undefined;
    allowScript(response);
    return this.signIns.confirmOptions(callerOf(request), party);
  }

  /** For the page of a second factor. */
  async forSecondStep(
    request: Request,
    response: Response,
    step: { challenge: string; userId: number },
  ): Promise<RequestOptions | undefined> {
    const party = this.parties.find(request);
    if (!party) return undefined;
    allowScript(response);
    return this.steps.passkeyOptions(step.challenge, step.userId, party);
  }

  /** For the page on which users add passkeys. */
  async forAdding(request: AuthorizedRequest, response: Response): Promise<CreationOptions | undefined> {
    const party = this.parties.find(request);
    if (!party) return undefined;
    allowScript(response);
    return this.passkeys.creationOptions(callerOf(request), party);
  }

  /** Returns the host for which a browser has answered. @throws WrongPasskeyError at an address without passkeys */
  partyOf(request: Request): RelyingParty {
    const party = this.parties.find(request);
    if (!party) throw new WrongPasskeyError();
    return party;
  }
}
