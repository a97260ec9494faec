import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AuditedCaller } from '../access/caller';
import { TransactionsService } from '../database/transactions/transactions.service';
import { NoResourceError, WrongPasskeyError } from '../errors/domain-errors';
import { addressGroup } from '../http/request/client-address';
import {
  type PasskeyAnswer,
  PasskeyChecksService,
  type PasskeyRequest,
  type RequestOptions,
} from '../second-factors/passkeys/passkey-checks.service';
import { sessionOf } from '../second-factors/passkeys/passkeys.service';
import { type RelyingParty } from '../second-factors/passkeys/relying-party.service';
import { type Browser, SessionsService } from '../sessions/sessions.service';
import { PasswordsService } from '../users/passwords/passwords.service';
import { UsersService } from '../users/users.service';
import { type Attempt, SignInAttemptsService } from './sign-in-attempts.service';

/**
 * Signs users in by passkeys alone, which count as both factors because the authenticator verifies its user
 * (`docs/decisions/0064-passkeys.md#signing-in`). Wrong answers count as wrong codes do.
 */
@Injectable()
export class PasskeySignInService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly passkeys: PasskeyChecksService,
    private readonly users: UsersService,
    private readonly passwords: PasswordsService,
    private readonly sessions: SessionsService,
    private readonly attempts: SignInAttemptsService,
  ) {}

  /** Returns what a browser needs to sign in with any passkey. @param bearer a secret of the browser */
  signInOptions(bearer: string, party: RelyingParty): RequestOptions {
    return this.passkeys.options({ purpose: 'sign-in', bearer, party });
  }

  /** Returns what the browser of a caller needs to confirm their sign-in; undefined if they have no passkey. */
  confirmOptions(caller: AuditedCaller, party: RelyingParty): Promise<RequestOptions | undefined> {
    return this.passkeys.optionsOf(caller.id, confirmation(caller, party));
  }

  /**
   * Starts a session of the user of a passkey, and returns its token.
   * @param bearer the secret of the browser to which the challenge was given
   * @throws WrongPasskeyError, the same for an unknown passkey and for a user who may not sign in; ExpiredChallengeError,
   * TooManyRequestsError after too many wrong answers
   */
  signIn(answer: PasskeyAnswer, bearer: string, party: RelyingParty, browser: Browser): Promise<string> {
    return this.start(answer, { purpose: 'sign-in', bearer, party }, browser);
  }

  /**
   * Lets a user who has signed in prove again who they are, and returns the token of the session that replaces theirs.
   * @throws as `signIn`
   */
  confirm(
    caller: AuditedCaller,
    answer: PasskeyAnswer,
    party: RelyingParty,
    browser: Browser,
  ): Promise<string> {
    return this.start(answer, confirmation(caller, party), browser, caller.id);
  }

  /** @param callerId the only user whose passkey is accepted */
  private async start(
    answer: PasskeyAnswer,
    request: PasskeyRequest,
    browser: Browser,
    callerId?: number,
  ): Promise<string> {
    const address = addressGroup(browser.address);
    this.attempts.refuseWaiting(address);
    const given = await this.passkeys.find(answer, request);
    const userId = callerId ?? given.passkey?.userId ?? 0;
    const isKnownAddress = await this.sessions.isKnownAddress(userId, browser.address);
    const name = userId === 0 ? given.credentialHash : String(userId);
    const attempt: Attempt = { name, address, isKnownAddress, isCode: true };
    await this.attempts.begin(attempt);
    const proven = await this.passkeys.prove(given, userId);
    if (!proven) throw new WrongPasskeyError();
    // Commits also without a session: the audit log shows a counter that went back.
    const session = await this.transactions.run(async (manager) => {
      await this.lock(manager, userId);
      if (!(await this.passwords.findOwnerById(userId, manager))) return undefined;
      const actor = { id: userId, address: browser.address };
      if (!(await this.passkeys.use(manager, actor, proven))) return undefined;
      await this.attempts.succeed(manager, attempt);
      return this.sessions.start(manager, userId, browser, true);
    });
    if (session === undefined) throw new WrongPasskeyError();
    return session;
  }

  /** @throws WrongPasskeyError for a user who has left since */
  private async lock(manager: EntityManager, userId: number): Promise<void> {
    try {
      await this.users.lock(manager, userId);
    } catch (error) {
      throw error instanceof NoResourceError ? new WrongPasskeyError() : error;
    }
  }
}

const confirmation = (caller: AuditedCaller, party: RelyingParty): PasskeyRequest => ({
  purpose: 'confirm',
  bearer: sessionOf(caller),
  party,
});
