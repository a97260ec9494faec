import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AuditedCaller } from '../access/caller';
import { Environment } from '../config/environment';
import { TransactionsService } from '../database/transactions/transactions.service';
import { NoResourceError } from '../errors/domain-errors';
import { addressGroup } from '../http/request/client-address';
import { type Browser, SessionsService } from '../sessions/sessions.service';
import { isCommonPassword } from '../users/passwords/common-passwords';
import { type PasswordOwner, PasswordsService } from '../users/passwords/passwords.service';
import { UsersService } from '../users/users.service';
import { PasswordLinksService } from './password-links.service';
import { SecondStepService, type SignInProgress } from './second-step.service';
import { type Attempt, SignInAttemptsService } from './sign-in-attempts.service';
import {
  CommonPasswordError,
  NewPasswordNeededError,
  PasswordsOffError,
  WrongPasswordError,
} from './sign-in-errors';

/** What a user enters to sign in. */
export interface Credentials {
  /** The login name, `userId`. */
  name: string;
  password: string;
  /** A password that replaces it. */
  newPassword?: string;
}

/** What a user enters to change their password. */
export interface PasswordChange {
  password: string;
  newPassword: string;
}

/**
 * Signs users in by their passwords, and sets these (`docs/decisions/0061-sign-in.md`). Each method that succeeds starts a new session, in place
 * of the browser's former one, or a challenge for users with a second factor. `gone` removes a password that is not checked yet from the queue.
 * With `PASSWORD_SIGN_IN=off`, each method that takes a password throws PasswordsOffError.
 */
@Injectable()
export class SignInService {
  constructor(
    private readonly environment: Environment,
    private readonly transactions: TransactionsService,
    private readonly users: UsersService,
    private readonly passwords: PasswordsService,
    private readonly sessions: SessionsService,
    private readonly attempts: SignInAttemptsService,
    private readonly links: PasswordLinksService,
    private readonly steps: SecondStepService,
  ) {}

  /** Whether users sign in with passwords. */
  get hasPasswords(): boolean {
    return this.environment.PASSWORD_SIGN_IN;
  }

  /** @throws PasswordsOffError where passwords are switched off */
  requirePasswords(): void {
    if (!this.hasPasswords) throw new PasswordsOffError();
  }

  /**
   * Signs a user in, and replaces their password if a new one is given.
   * @throws WrongPasswordError, TooManyRequestsError after too many of these, NewPasswordNeededError for a password that everybody tries
   * first, CommonPasswordError for such a new one, ServiceUnavailableError
   */
  async signIn(
    { name, password, newPassword }: Credentials,
    browser: Browser,
    gone?: AbortSignal,
  ): Promise<SignInProgress> {
    this.requirePasswords();
    if (newPassword !== undefined) requireUncommon(newPassword);
    this.attempts.refuseWaiting(addressGroup(browser.address));
    const owner = await this.passwords.findOwner(name);
    const { attempt, verified } = await this.verify(name, owner, password, browser, gone);
    if (newPassword === undefined && isCommonPassword(password)) throw new NewPasswordNeededError();
    const newHash = newPassword === undefined ? undefined : await this.passwords.hash(newPassword, gone);
    const renewedHash =
      newHash === undefined ? await this.passwords.renewedHash(verified, password, gone) : undefined;
    return this.withVerified({ verified, password, gone }, async (manager, { id, passwordHash }) => {
      await this.attempts.succeed(manager, attempt);
      // Another hash of the same password changes nothing that a second factor protects. Another sign-in may have stored one meanwhile.
      if (renewedHash !== undefined && passwordHash === verified.passwordHash) {
        await this.passwords.replaceHash(manager, id, renewedHash);
      }
      return this.steps.begin(manager, { userId: id, passwordHash: newHash }, browser);
    });
  }

  /**
   * Lets a user who has signed in prove again who they are.
   * @throws WrongPasswordError, TooManyRequestsError, ServiceUnavailableError
   */
  async confirm(
    caller: AuditedCaller,
    password: string,
    browser: Browser,
    gone?: AbortSignal,
  ): Promise<SignInProgress> {
    this.requirePasswords();
    const { attempt, verified } = await this.verifyCaller(caller, password, browser, gone);
    return this.withVerified({ verified, password, gone }, async (manager, { id }) => {
      await this.attempts.succeed(manager, attempt);
      return this.steps.begin(manager, { userId: id }, browser);
    });
  }

  /**
   * Changes the password of a user who has signed in, and ends all their sessions.
   * @throws WrongPasswordError, CommonPasswordError, TooManyRequestsError, ServiceUnavailableError
   */
  async changePassword(
    caller: AuditedCaller,
    { password, newPassword }: PasswordChange,
    browser: Browser,
    gone?: AbortSignal,
  ): Promise<SignInProgress> {
    this.requirePasswords();
    requireUncommon(newPassword);
    const { attempt, verified } = await this.verifyCaller(caller, password, browser, gone);
    const newHash = await this.passwords.hash(newPassword, gone);
    return this.withVerified({ verified, password, gone }, async (manager, { id }) => {
      await this.attempts.succeed(manager, attempt);
      return this.steps.begin(manager, { userId: id, passwordHash: newHash }, browser);
    });
  }

  /**
   * Sets the password of the user of a link, which works once, and ends all their sessions. Their second factor is still needed, unless the
   * operator made the link otherwise.
   * @throws NoResourceError for a link that does not work, CommonPasswordError, ServiceUnavailableError
   */
  async setPassword(
    linkToken: string,
    newPassword: string,
    browser: Browser,
    gone?: AbortSignal,
  ): Promise<SignInProgress> {
    this.requirePasswords();
    requireUncommon(newPassword);
    const { id } = await this.links.find(linkToken);
    const newHash = await this.passwords.hash(newPassword, gone);
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, id);
      const { withoutSecondFactor } = await this.links.find(linkToken, manager);
      // A new password ends all links of its user; until then, this one goes on working.
      return this.steps.begin(manager, { userId: id, passwordHash: newHash }, browser, withoutSecondFactor);
    });
  }

  /**
   * Signs in the user of a link that the operator has made, without a password, where nobody has one. The link works once.
   * @throws NoResourceError for a link that does not work, PasswordsOffError for one that somebody else has made
   */
  async signInByLink(linkToken: string, browser: Browser): Promise<SignInProgress> {
    // Outside the transaction, whose first read would otherwise fix what it sees before the lock.
    const { id } = await this.links.find(linkToken);
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, id);
      const { withoutSecondFactor, byOperator } = await this.links.find(linkToken, manager);
      if (this.hasPasswords || !byOperator) throw new PasswordsOffError();
      await this.links.use(manager, id);
      return this.steps.begin(manager, { userId: id }, browser, withoutSecondFactor);
    });
  }

  /**
   * Hashes the password that a person chooses.
   * @throws CommonPasswordError, ServiceUnavailableError when too many passwords are waiting
   */
  async hashNew(newPassword: string, gone?: AbortSignal): Promise<string> {
    this.requirePasswords();
    requireUncommon(newPassword);
    return this.passwords.hash(newPassword, gone);
  }

  private async verifyCaller(
    caller: AuditedCaller,
    password: string,
    browser: Browser,
    gone: AbortSignal | undefined,
  ): Promise<{ attempt: Attempt; verified: PasswordOwner }> {
    const owner = await this.passwords.findOwnerById(caller.id);
    return this.verify(owner?.userId ?? '', owner, password, browser, gone);
  }

  /** @throws WrongPasswordError, which is the same for unknown names, and takes as long */
  private async verify(
    name: string,
    owner: PasswordOwner | undefined,
    password: string,
    { address }: Browser,
    gone: AbortSignal | undefined,
  ): Promise<{ attempt: Attempt; verified: PasswordOwner }> {
    const isKnownAddress = await this.sessions.isKnownAddress(owner?.id ?? 0, address);
    const attempt = { name, address: addressGroup(address), isKnownAddress };
    await this.attempts.begin(attempt);
    const isRight = await this.passwords.verify(owner, password, gone);
    if (!owner || !isRight) throw new WrongPasswordError();
    return { attempt, verified: owner };
  }

  /**
   * Runs `work` in a transaction that has locked the user, whose password is still the verified one. If only its hash has been replaced, as by
   * another sign-in, the password is verified again.
   * @throws WrongPasswordError for a user who has left, is disabled or has another password since it was verified
   */
  private async withVerified(
    { verified, password, gone }: { verified: PasswordOwner; password: string; gone?: AbortSignal },
    work: (manager: EntityManager, owner: PasswordOwner) => Promise<SignInProgress>,
  ): Promise<SignInProgress> {
    for (let owner = verified; ;) {
      const outcome = await this.transactions.run<{ result: SignInProgress } | { current: PasswordOwner }>(
        async (manager) => {
          const current = await this.lockOwner(manager, owner.id);
          if (current.passwordHash !== owner.passwordHash) return { current };
          return { result: await work(manager, current) };
        },
      );
      if ('result' in outcome) return outcome.result;
      // Outside the transaction, because it takes long.
      owner = outcome.current;
      if (!(await this.passwords.verify(owner, password, gone))) throw new WrongPasswordError();
    }
  }

  private async lockOwner(manager: EntityManager, id: number): Promise<PasswordOwner> {
    try {
      await this.users.lock(manager, id);
    } catch (error) {
      throw error instanceof NoResourceError ? new WrongPasswordError() : error;
    }
    const owner = await this.passwords.findOwnerById(id, manager);
    if (!owner) throw new WrongPasswordError();
    return owner;
  }
}

function requireUncommon(password: string): void {
  if (isCommonPassword(password)) throw new CommonPasswordError();
}
