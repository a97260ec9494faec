import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AuditedCaller } from '../../access/caller';
import { type Actor } from '../../audit-log/actor';
import { type AuditAction } from '../../audit-log/audit-action';
import { auditChanges } from '../../audit-log/audit-changes';
import { AuditLogService } from '../../audit-log/audit-log.service';
import { isDuplicate } from '../../database/connections/database-errors';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { NoResourceError, WrongPasskeyError } from '../../errors/domain-errors';
import { SessionsService } from '../../sessions/sessions.service';
import { SpaceService } from '../../space/space.service';
import { KnownCallersService } from '../../users/known-callers.service';
import { UsersService } from '../../users/users.service';
import { WaysInService } from '../../users/ways-in.service';
import { PasskeyRepository, type PasskeyRow } from '../data/passkey.repository';
import { SecondFactorRepository } from '../data/second-factor.repository';
import { type PasskeyDto } from '../dto/passkey.dto';
import { RecoveryCodesService } from '../recovery-codes.service';
import {
  ALGORITHMS,
  type CredentialDescriptor,
  hashCredentialId,
  knownTransports,
  toDescriptor,
  userHandleOf,
} from './credentials';
import { CHALLENGE_MS, PasskeyChallengesService } from './passkey-challenges.service';
import { KnownPasskeyError, MAX_PASSKEYS, TooManyPasskeysError } from './passkey-errors';
import { toPasskeyDto } from './passkey.mapper';
import { PasskeyVerifierService } from './passkey-verifier.service';
import { type RelyingParty } from './relying-party.service';
import { type NewCredential, type RegistrationAnswer } from './webauthn';

/** What a browser needs to make a passkey (`PublicKeyCredentialCreationOptionsJSON`); binary values are in base64url. */
export interface CreationOptions {
  challenge: string;
  rp: { id: string; name: string };
  user: { id: string; name: string; displayName: string };
  pubKeyCredParams: { type: 'public-key'; alg: number }[];
  timeout: number;
  excludeCredentials: CredentialDescriptor[];
  authenticatorSelection: { residentKey: 'preferred'; userVerification: 'preferred' };
  attestation: 'none';
}

/** A passkey that a user adds. */
export interface NewPasskey extends RegistrationAnswer {
  name: string;
  /** How the browser reaches the authenticator, separated by commas. */
  transports?: string;
}

/** Adds passkeys of users who have signed in, and lists, renames and removes them (`docs/decisions/0064-passkeys.md`). */
@Injectable()
export class PasskeysService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly passkeys: PasskeyRepository,
    private readonly factors: SecondFactorRepository,
    private readonly codes: RecoveryCodesService,
    private readonly challenges: PasskeyChallengesService,
    private readonly verifier: PasskeyVerifierService,
    private readonly users: UsersService,
    private readonly space: SpaceService,
    private readonly sessions: SessionsService,
    private readonly known: KnownCallersService,
    private readonly auditLog: AuditLogService,
    private readonly waysIn: WaysInService,
  ) {
    waysIn.register('passkey', (userId, manager) => this.passkeys.hasUsedAlone(userId, manager));
  }

  /** Returns what the browser of a caller needs to make a passkey. */
  async creationOptions(caller: AuditedCaller, party: RelyingParty): Promise<CreationOptions> {
    const user = await this.users.get(caller.id);
    const own = await this.passkeys.findOfUser(caller.id);
    return {
      challenge: this.challenges.issue('add', sessionOf(caller)),
      rp: { id: party.id, name: (await this.space.get()).name },
      user: { id: userHandleOf(caller.id), name: user.userId, displayName: user.name },
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      timeout: CHALLENGE_MS,
      excludeCredentials: own.map(toDescriptor),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      attestation: 'none',
    };
  }

  /**
   * Adds a passkey of the caller. From then on, they need a second factor to sign in. Returns their recovery codes, which are not shown again,
   * if it is their first factor; otherwise undefined.
   * @throws WrongPasskeyError, ExpiredChallengeError, KnownPasskeyError, TooManyPasskeysError
   */
  async add(
    caller: AuditedCaller,
    { name, transports = '', ...answer }: NewPasskey,
    party: RelyingParty,
  ): Promise<string[] | undefined> {
    const opened = this.challenges.open(answer.clientData, 'add', sessionOf(caller));
    const expected = { challenge: opened.challenge, party };
    const credential = await this.verifier.verifyRegistration(caller.id, answer, expected);
    if (!credential) throw new WrongPasskeyError();
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, caller.id);
      if (!(await this.challenges.useUp(manager, opened, caller.id))) throw new WrongPasskeyError();
      const isFirst = !(await this.factors.exists(caller.id, manager));
      const added = await this.insert(manager, caller.id, {
        ...credential,
        name,
        transports: knownTransports(transports),
      });
      const codes = isFirst ? await this.codes.replace(manager, caller.id) : undefined;
      if (caller.session) await this.sessions.noteSecondFactor(manager, caller.session.id, added.created);
      await this.record(manager, caller, 'passkey.add', added);
      this.transactions.afterCommit(manager, () => this.known.forget(caller.id));
      return codes;
    });
  }

  /** Renames a passkey of a user. @throws NoResourceError */
  rename(caller: AuditedCaller, userId: number, id: number, name: string): Promise<PasskeyDto> {
    return this.transactions.run(async (manager) => {
      const before = await this.lock(manager, userId, id);
      const after = { ...before, name };
      await this.passkeys.rename(manager, id, name);
      const changes = auditChanges(before, after, ['name']);
      if (changes.length > 0) {
        await this.auditLog.record(manager, caller, {
          action: 'passkey.update',
          subject: { id, name },
          changes,
        });
      }
      return toPasskeyDto(after);
    });
  }

  /** Removes a passkey of a user, and with their last factor the recovery codes. @throws NoResourceError, LastWayInError */
  remove(actor: Actor, userId: number, id: number): Promise<PasskeyDto> {
    return this.transactions.run(async (manager) => {
      const removed = await this.lock(manager, userId, id);
      await this.waysIn.keepingOne(manager, { actor, userId, field: 'passkeyId' }, () =>
        this.passkeys.delete(manager, id),
      );
      await this.codes.removeUnneeded(manager, userId);
      await this.record(manager, actor, 'passkey.delete', removed);
      this.transactions.afterCommit(manager, () => this.known.forget(userId));
      return toPasskeyDto(removed);
    });
  }

  private async insert(
    manager: EntityManager,
    userId: number,
    passkey: NewCredential & { name: string; transports: string },
  ): Promise<PasskeyRow> {
    const own = await this.passkeys.findOfUser(userId, manager);
    if (own.length >= MAX_PASSKEYS) throw new TooManyPasskeysError();
    const row = {
      ...passkey,
      lastUsedAlone: null,
      userId,
      credentialHash: hashCredentialId(passkey.credentialId),
      created: Date.now(),
      lastUsed: null,
    };
    try {
      return { ...row, id: await this.passkeys.insert(manager, row) };
    } catch (error) {
      throw isDuplicate(error) ? new KnownPasskeyError() : error;
    }
  }

  private async lock(manager: EntityManager, userId: number, id: number): Promise<PasskeyRow> {
    await this.users.lock(manager, userId);
    const passkey = await this.passkeys.find(id, userId, manager);
    if (!passkey) throw new NoResourceError('passkey');
    return passkey;
  }

  private async record(
    manager: EntityManager,
    actor: Actor,
    action: AuditAction,
    { id, name, userId: ownerId }: PasskeyRow,
  ): Promise<void> {
    const { userId } = await this.users.get(ownerId, manager);
    const [before, after] = action === 'passkey.add' ? [{}, { userId }] : [{ userId }, {}];
    const changes = auditChanges(before, after, ['userId']);
    await this.auditLog.record(manager, actor, { action, subject: { id, name }, changes });
  }
}

/** Returns what names the session of a caller: a challenge given to it can be answered in no other. */
export const sessionOf = ({ session }: AuditedCaller): string => `session ${session?.id ?? 0}`;
