import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type RoleType } from '../access/role-type';
import { TransactionsService } from '../database/transactions/transactions.service';
import {
  InvalidRequestError,
  NoResourceError,
  WrongCodeError,
  WrongPasskeyError,
} from '../errors/domain-errors';
import { addressGroup } from '../http/request/client-address';
import {
  type PasskeyAnswer,
  PasskeyChecksService,
  type RequestOptions,
} from '../second-factors/passkeys/passkey-checks.service';
import { type RelyingParty } from '../second-factors/passkeys/relying-party.service';
import { SecondFactorsService } from '../second-factors/second-factors.service';
import { type Browser, SessionsService } from '../sessions/sessions.service';
import { SpaceService } from '../space/space.service';
import { PasswordsService } from '../users/passwords/passwords.service';
import { RevocationsService } from '../users/revocations.service';
import { generateToken, hashToken } from '../users/token';
import { UserAdministrationService } from '../users/user-administration.service';
import { UsersService } from '../users/users.service';
import { LoginChallengeRepository } from './data/login-challenge.repository';
import { SignInAttemptsService } from './sign-in-attempts.service';

/** How long a code can be entered, or a passkey used, after the password, in milliseconds. */
export const CHALLENGE_MS = 10 * 60_000;
/** Number of wrong codes and passkeys after which the user has to begin again. */
const MAX_FAILURES = 5;
/** Maximum number of challenges of a user; a further one takes the place of the oldest. */
const MAX_CHALLENGES = 10;

/** What a user has proved by their password, a link or an identity provider, and what then happens. */
export interface FirstStep {
  userId: number;
  /** The hash of the password to be set; absent or null if it stays. */
  passwordHash?: string | null;
  /** When they proved it, in milliseconds since 1970, if that was not now. */
  authenticated?: number | null;
  /** The role that an identity provider gives them; absent or null if it stays. The transaction has locked the space. */
  roleType?: RoleType | null;
}

/** What a first step has led to: the token of a session, or that of a challenge, with which a code leads to the session. */
export type SignInProgress = { session: string } | { challenge: string };

/**
 * Prepares the check of a second factor, outside of a transaction. The check then runs in the transaction that has locked the user, and uses
 * the factor up.
 */
type PrepareCheck = (userId: number) => Promise<(manager: EntityManager) => Promise<boolean>>;

/** Lets users with a second factor sign in only with it, after the first step (`docs/decisions/0062-second-factor.md`). */
@Injectable()
export class SecondStepService {
  private readonly logger = new Logger(SecondStepService.name);

  constructor(
    private readonly transactions: TransactionsService,
    private readonly challenges: LoginChallengeRepository,
    private readonly space: SpaceService,
    private readonly users: UsersService,
    private readonly administration: UserAdministrationService,
    private readonly passwords: PasswordsService,
    private readonly sessions: SessionsService,
    private readonly factors: SecondFactorsService,
    private readonly passkeys: PasskeyChecksService,
    private readonly attempts: SignInAttemptsService,
    revocations: RevocationsService,
  ) {
    revocations.onRevocation((manager, userId) => this.challenges.deleteOfUser(manager, userId));
  }

  /**
   * Starts the session of a user whom the transaction has locked, or a challenge if they have a second factor.
   * @param withoutSecondFactor whether the first step suffices
   */
  async begin(
    manager: EntityManager,
    first: FirstStep,
    browser: Browser,
    withoutSecondFactor = false,
  ): Promise<SignInProgress> {
    const { userId, passwordHash = null, authenticated = null, roleType = null } = first;
    if (withoutSecondFactor || !(await this.factors.has(userId, manager))) {
      return { session: await this.complete(manager, first, browser, false) };
    }
    const challenge = generateToken();
    const expires = Date.now() + CHALLENGE_MS;
    const tokenHash = hashToken(challenge);
    const row = { tokenHash, userId, passwordHash, authenticated, roleType, failures: 0, expires };
    await this.challenges.insert(manager, row, MAX_CHALLENGES);
    return { challenge };
  }

  /** Returns the user of a challenge that waits for a second factor. */
  async findUser(challenge: string): Promise<number | undefined> {
    return (await this.challenges.find(hashToken(challenge), Date.now()))?.userId;
  }

  /** Returns what the browser of a challenge needs to use a passkey of its user; undefined if they have none. */
  passkeyOptions(
    challenge: string,
    userId: number,
    party: RelyingParty,
  ): Promise<RequestOptions | undefined> {
    return this.passkeys.optionsOf(userId, { purpose: 'second-factor', bearer: challenge, party });
  }

  /**
   * Completes the first step of a challenge with a code of the authenticator app, or a recovery code, and returns the token of the session.
   * @throws NoResourceError for a challenge that has ended, WrongCodeError, TooManyRequestsError after too many of these,
   * UnreadableAppError, which counts for the user but not for the challenge
   */
  async finish(challenge: string, code: string, browser: Browser): Promise<string> {
    const session = await this.finishBy(challenge, browser, (userId) =>
      Promise.resolve((manager) => this.factors.use(manager, userId, code)),
    );
    if (session === undefined) throw new WrongCodeError();
    return session;
  }

  /**
   * Completes the first step of a challenge with a passkey, and returns the token of the session.
   * @throws NoResourceError for a challenge that has ended, WrongPasskeyError, ExpiredChallengeError, TooManyRequestsError after too many
   */
  async finishWithPasskey(
    challenge: string,
    answer: PasskeyAnswer,
    party: RelyingParty,
    browser: Browser,
  ): Promise<string> {
    const request = { purpose: 'second-factor', bearer: challenge, party } as const;
    const given = await this.passkeys.find(answer, request);
    const session = await this.finishBy(challenge, browser, async (userId) => {
      const proven = await this.passkeys.prove(given, userId);
      const actor = { id: userId, address: browser.address };
      return (manager) => (proven ? this.passkeys.use(manager, actor, proven) : Promise.resolve(false));
    });
    if (session === undefined) throw new WrongPasskeyError();
    return session;
  }

  /** Removes challenges that have expired. */
  removeExpired(): Promise<void> {
    return this.transactions.run((manager) => this.challenges.deleteExpired(manager, Date.now()));
  }

  /** Returns the token of the session; undefined if the check fails, which counts. */
  private async finishBy(
    challenge: string,
    browser: Browser,
    prepare: PrepareCheck,
  ): Promise<string | undefined> {
    const tokenHash = hashToken(challenge);
    const { userId, roleType = null } = await this.find(tokenHash);
    const isKnownAddress = await this.sessions.isKnownAddress(userId, browser.address);
    const address = addressGroup(browser.address);
    const attempt = { name: String(userId), address, isKnownAddress, isCode: true } as const;
    await this.attempts.begin(attempt);
    const check = await prepare(userId);
    // The transaction that counts a failure must not be rolled back.
    return this.transactions.run(async (manager) => {
      if (roleType !== null) await this.space.lock(manager);
      await this.users.lock(manager, userId);
      const found = await this.find(tokenHash, manager);
      if (!(await this.passwords.findOwnerById(userId, manager))) throw new NoResourceError('challenge');
      if (!(await check(manager))) {
        const failures = found.failures + 1;
        if (failures < MAX_FAILURES) await this.challenges.setFailures(manager, tokenHash, failures);
        else await this.challenges.delete(manager, tokenHash);
        return undefined;
      }
      await this.challenges.delete(manager, tokenHash);
      await this.attempts.succeed(manager, attempt);
      return this.complete(manager, found, browser, true);
    });
  }

  private async find(tokenHash: string, manager?: EntityManager): Promise<FirstStep & { failures: number }> {
    const found = await this.challenges.find(tokenHash, Date.now(), manager);
    if (!found) throw new NoResourceError('challenge');
    return found;
  }

  private async complete(
    manager: EntityManager,
    { userId, passwordHash, authenticated, roleType }: FirstStep,
    browser: Browser,
    secondFactor: boolean,
  ): Promise<string> {
    const actor = { id: userId, address: browser.address };
    if (typeof passwordHash === 'string') await this.passwords.set(manager, actor, userId, passwordHash);
    if (typeof roleType === 'number') await this.setRole(manager, actor, roleType);
    return this.sessions.start(manager, userId, browser, secondFactor, authenticated ?? undefined);
  }

  /** Gives a user the role of their groups at an identity provider, unless no Administrator would be left. */
  private async setRole(
    manager: EntityManager,
    actor: { id: number; address: string },
    roleType: RoleType,
  ): Promise<void> {
    try {
      await this.administration.setRole(manager, actor, actor.id, roleType);
    } catch (error) {
      if (!(error instanceof InvalidRequestError)) throw error;
      this.logger.warn({ userId: actor.id }, 'The last Administrator keeps the role, whatever their groups');
    }
  }
}
