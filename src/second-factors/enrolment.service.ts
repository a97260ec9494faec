import { Injectable } from '@nestjs/common';
import { type AuditedCaller } from '../access/caller';
import { AuditLogService } from '../audit-log/audit-log.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { EncryptionService } from '../encryption/encryption.service';
import { NoResourceError, WrongCodeError } from '../errors/domain-errors';
import { SessionsService } from '../sessions/sessions.service';
import { SpaceService } from '../space/space.service';
import { KnownCallersService } from '../users/known-callers.service';
import { UsersService } from '../users/users.service';
import { SecondFactorRepository } from './data/second-factor.repository';
import { RecoveryCodesService } from './recovery-codes.service';
import { KnownAppError } from './second-factor-errors';
import { findStep, generateTotpSecret, normalizeCode, toBase32, totpUri } from './totp';

/** What an authenticator app needs to be set up. */
export interface NewTotp {
  /** The secret as people type it. */
  secret: string;
  /** The address with the secret that apps read from a QR code. */
  uri: string;
}

/** Sets up the authenticator app of a user who has signed in, and renews their recovery codes. */
@Injectable()
export class EnrolmentService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly factors: SecondFactorRepository,
    private readonly codes: RecoveryCodesService,
    private readonly users: UsersService,
    private readonly space: SpaceService,
    private readonly sessions: SessionsService,
    private readonly known: KnownCallersService,
    private readonly encryption: EncryptionService,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Begins with a new secret. It is no factor until a code confirms it. @throws ConflictError for a user who has an app */
  begin(userId: number): Promise<void> {
    const secret = this.encryption.encrypt(generateTotpSecret().toString('base64url'));
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, userId);
      if (await this.factors.hasApp(userId, manager)) {
        throw new KnownAppError();
      }
      await this.factors.replace(manager, { userId, secret, confirmed: null, lastStep: 0 });
    });
  }

  /** Returns what an app needs until it is confirmed; undefined if nothing has begun. */
  async findBegun(userId: number): Promise<NewTotp | undefined> {
    const secret = this.secretOf(await this.factors.find(userId));
    if (!secret) return undefined;
    const { name } = await this.space.get();
    const account = (await this.users.get(userId)).userId;
    return { secret: toBase32(secret), uri: totpUri(secret, name, account) };
  }

  /**
   * Confirms the app by its first code. From then on, the user needs a second factor to sign in. Returns their recovery codes, which are not
   * shown again, if it is their first factor; otherwise undefined.
   * @throws NoResourceError if nothing has begun, WrongCodeError
   */
  confirm(caller: AuditedCaller, code: string): Promise<string[] | undefined> {
    const now = Date.now();
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, caller.id);
      const secret = this.secretOf(await this.factors.find(caller.id, manager));
      if (!secret) throw new NoResourceError('authenticator app');
      const step = findStep(secret, normalizeCode(code), now, 0);
      if (step === undefined) throw new WrongCodeError();
      const isFirst = !(await this.factors.exists(caller.id, manager));
      await this.factors.confirm(manager, caller.id, now, step);
      const codes = isFirst ? await this.codes.replace(manager, caller.id) : undefined;
      if (caller.session) await this.sessions.noteSecondFactor(manager, caller.session.id, now);
      const subject = { id: caller.id, name: (await this.users.get(caller.id, manager)).userId };
      await this.auditLog.record(manager, caller, { action: 'secondFactor.add', subject });
      this.transactions.afterCommit(manager, () => this.known.forget(caller.id));
      return codes;
    });
  }

  /** Replaces the recovery codes, and returns the new ones. @throws NoResourceError for a user without a factor */
  renewCodes(caller: AuditedCaller): Promise<string[]> {
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, caller.id);
      if (!(await this.factors.exists(caller.id, manager))) throw new NoResourceError('second factor');
      const codes = await this.codes.replace(manager, caller.id);
      const subject = { id: caller.id, name: (await this.users.get(caller.id, manager)).userId };
      await this.auditLog.record(manager, caller, { action: 'recoveryCodes.renew', subject });
      return codes;
    });
  }

  /** Returns the secret of an app that is not confirmed yet. */
  private secretOf(
    totp: { secret: string | null; confirmed: number | null } | undefined,
  ): Buffer | undefined {
    const secret = totp?.confirmed === null ? this.encryption.tryDecrypt(totp.secret) : undefined;
    return secret === undefined ? undefined : Buffer.from(secret, 'base64url');
  }
}
