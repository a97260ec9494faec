import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Actor } from '../audit-log/actor';
import { AuditLogService } from '../audit-log/audit-log.service';
import { type EntityRunner } from '../database/sql/statements';
import { TransactionsService } from '../database/transactions/transactions.service';
import { EncryptionService } from '../encryption/encryption.service';
import { NoResourceError } from '../errors/domain-errors';
import { toTimestamp } from '../http/request/timestamp';
import { KnownCallersService } from '../users/known-callers.service';
import { UserAdministrationService } from '../users/user-administration.service';
import { UsersService } from '../users/users.service';
import { WaysInService } from '../users/ways-in.service';
import { PasskeyRepository } from './data/passkey.repository';
import { SecondFactorRepository, type TotpRow } from './data/second-factor.repository';
import { type SecondFactorsDto } from './dto/second-factors.dto';
import { toPasskeyDto } from './passkeys/passkey.mapper';
import { hashRecoveryCode } from './recovery-codes';
import { RecoveryCodesService } from './recovery-codes.service';
import { UnreadableAppError } from './second-factor-errors';
import { findStep, normalizeCode } from './totp';

/** Checks the second factors of users, and removes them (`docs/decisions/0062-second-factor.md`). */
@Injectable()
export class SecondFactorsService {
  private readonly logger = new Logger(SecondFactorsService.name);

  constructor(
    private readonly transactions: TransactionsService,
    private readonly factors: SecondFactorRepository,
    private readonly passkeys: PasskeyRepository,
    private readonly codes: RecoveryCodesService,
    private readonly users: UsersService,
    private readonly known: KnownCallersService,
    private readonly encryption: EncryptionService,
    private readonly auditLog: AuditLogService,
    private readonly waysIn: WaysInService,
    administration: UserAdministrationService,
  ) {
    administration.onLeaving((manager, userId) => this.factors.deleteOfUser(manager, userId));
  }

  /** Whether a user has a second factor, so that a password does not suffice. */
  has(userId: number, runner?: EntityRunner): Promise<boolean> {
    return this.factors.exists(userId, runner);
  }

  /** Whether a user has an authenticator app. */
  hasApp(userId: number): Promise<boolean> {
    return this.factors.hasApp(userId);
  }

  /** Returns the second factors of a user. */
  async get(userId: number, runner?: EntityRunner): Promise<SecondFactorsDto> {
    const confirmed = (await this.factors.find(userId, runner))?.confirmed ?? null;
    const passkeys = await this.passkeys.findOfUser(userId, runner);
    return {
      totp: confirmed === null ? null : { created: toTimestamp(confirmed) },
      passkeys: passkeys.map(toPasskeyDto),
      recoveryCodesLeft: await this.factors.countCodes(userId, runner),
    };
  }

  /**
   * Whether a code is the app's or a recovery code of a user whom the transaction has locked. Uses it up: neither is accepted again.
   * @throws UnreadableAppError for a code of an app whose secret cannot be decrypted
   */
  async use(manager: EntityManager, userId: number, typed: string): Promise<boolean> {
    const code = normalizeCode(typed);
    if (!/^\d{6}$/.test(code)) return this.factors.useCode(manager, userId, hashRecoveryCode(code));
    const totp = await this.factors.find(userId, manager);
    if (!totp || totp.confirmed === null) return false;
    const step = this.stepOf(userId, totp, code);
    return step !== undefined && this.factors.useStep(manager, userId, step);
  }

  /** Removes the second factors of a user, if they have any, and returns them. @throws LastWayInError */
  remove(actor: Actor, userId: number): Promise<SecondFactorsDto> {
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, userId);
      const removed = await this.get(userId, manager);
      await this.waysIn.keepingOne(manager, { actor, userId, field: '' }, () =>
        this.factors.deleteOfUser(manager, userId),
      );
      if (hasFactor(removed)) await this.recordRemoval(manager, actor, userId);
      return removed;
    });
  }

  /** Removes the authenticator app of a user, and with their last factor the recovery codes. @throws NoResourceError */
  removeApp(actor: Actor, userId: number): Promise<void> {
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, userId);
      if (!(await this.factors.hasApp(userId, manager))) throw new NoResourceError('authenticator app');
      await this.factors.deleteApp(manager, userId);
      await this.codes.removeUnneeded(manager, userId);
      await this.recordRemoval(manager, actor, userId);
    });
  }

  private async recordRemoval(manager: EntityManager, actor: Actor, userId: number): Promise<void> {
    const subject = { id: userId, name: (await this.users.get(userId, manager)).userId };
    await this.auditLog.record(manager, actor, { action: 'secondFactor.delete', subject });
    this.transactions.afterCommit(manager, () => this.known.forget(userId));
  }

  /** Returns the step of a code; undefined for a wrong one. @throws UnreadableAppError */
  private stepOf(userId: number, { secret: encrypted, lastStep }: TotpRow, code: string): number | undefined {
    const secret = this.encryption.tryDecrypt(encrypted);
    if (secret === undefined) {
      this.logger.warn({ userId }, 'The secret of an authenticator app cannot be decrypted');
      throw new UnreadableAppError();
    }
    return findStep(Buffer.from(secret, 'base64url'), code, Date.now(), lastStep);
  }
}

/** Whether a user with these needs more than the password to sign in. */
export const hasFactor = ({ totp, passkeys }: SecondFactorsDto): boolean =>
  totp !== null || passkeys.length > 0;
