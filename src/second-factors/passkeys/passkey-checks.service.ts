import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Actor } from '../../audit-log/actor';
import { auditChanges } from '../../audit-log/audit-changes';
import { AuditLogService } from '../../audit-log/audit-log.service';
import { PasskeyRepository, type PasskeyRow } from '../data/passkey.repository';
import { type CredentialDescriptor, hashCredentialId, toDescriptor, userHandleOf } from './credentials';
import {
  CHALLENGE_MS,
  type OpenedChallenge,
  PasskeyChallengesService,
  type PasskeyPurpose,
} from './passkey-challenges.service';
import { PasskeyVerifierService } from './passkey-verifier.service';
import { type RelyingParty } from './relying-party.service';
import { type PasskeyAnswer } from './webauthn';

export { type PasskeyAnswer };

/** What a browser needs to use a passkey (`PublicKeyCredentialRequestOptionsJSON`); binary values are in base64url. */
export interface RequestOptions {
  challenge: string;
  rpId: string;
  timeout: number;
  /** Empty: any passkey that names its user. */
  allowCredentials: CredentialDescriptor[];
  userVerification: 'required' | 'preferred';
}

/** The request of which an answer is part. */
export interface PasskeyRequest {
  purpose: Exclude<PasskeyPurpose, 'add'>;
  /** As for the challenge. */
  bearer: string;
  party: RelyingParty;
}

/** An answer to a challenge that is still open. Nothing is proved yet. */
export interface GivenPasskey {
  answer: PasskeyAnswer;
  request: PasskeyRequest;
  opened: OpenedChallenge;
  /** SHA-256 of the credential's id. */
  credentialHash: string;
  /** The passkey with the credential; undefined if no user has it. */
  passkey: PasskeyRow | undefined;
}

/** An answer that a passkey has signed. It counts once it has been used. */
export interface ProvenPasskey {
  passkey: PasskeyRow;
  purpose: PasskeyRequest['purpose'];
  opened: OpenedChallenge;
  signCount: number;
  backedUp: boolean;
}

/** After the password, presence suffices. Alone, a passkey counts as both factors, so that the authenticator must verify its user. */
const needsVerification = (purpose: PasskeyPurpose): boolean => purpose !== 'second-factor';

/** Checks the passkeys with which users sign in: `find`, then `prove`, then `use` in the transaction that relies on it. */
@Injectable()
export class PasskeyChecksService {
  constructor(
    private readonly passkeys: PasskeyRepository,
    private readonly challenges: PasskeyChallengesService,
    private readonly verifier: PasskeyVerifierService,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Returns what the browser of anybody needs to use a passkey. */
  options({ purpose, bearer, party }: PasskeyRequest): RequestOptions {
    return {
      challenge: this.challenges.issue(purpose, bearer),
      rpId: party.id,
      timeout: CHALLENGE_MS,
      allowCredentials: [],
      userVerification: needsVerification(purpose) ? 'required' : 'preferred',
    };
  }

  /** Returns what the browser of a user needs to use one of their passkeys; undefined if they have none. */
  async optionsOf(userId: number, request: PasskeyRequest): Promise<RequestOptions | undefined> {
    const own = await this.passkeys.findOfUser(userId);
    return own.length === 0
      ? undefined
      : { ...this.options(request), allowCredentials: own.map(toDescriptor) };
  }

  /**
   * Finds the passkey that an answer names.
   * @throws WrongPasskeyError for an answer to another challenge, ExpiredChallengeError
   */
  async find(answer: PasskeyAnswer, request: PasskeyRequest): Promise<GivenPasskey> {
    const opened = this.challenges.open(answer.clientData, request.purpose, request.bearer);
    const credentialHash = hashCredentialId(answer.credentialId);
    const passkey = await this.passkeys.findByCredential(credentialHash);
    return { answer, request, opened, credentialHash, passkey };
  }

  /** Verifies the signature of an answer. Returns undefined for a wrong answer, and for the passkey of another user. */
  async prove(
    { answer, request, opened, passkey }: GivenPasskey,
    userId: number,
  ): Promise<ProvenPasskey | undefined> {
    if (passkey?.userId !== userId) return undefined;
    // Where the browser offers any passkey, the user is known by nothing else.
    const handle = answer.userHandle ?? (request.purpose === 'sign-in' ? '' : userHandleOf(userId));
    if (handle !== userHandleOf(userId)) return undefined;
    const verified = await this.verifier.verifyAnswer(userId, answer, passkey.publicKey, {
      challenge: opened.challenge,
      party: request.party,
      needsVerification: needsVerification(request.purpose),
    });
    return verified && { passkey, purpose: request.purpose, opened, ...verified };
  }

  /**
   * Uses up the challenge of an answer of a user whom the transaction has locked. Returns false if it has been used before, the passkey has
   * been removed, or its counter has not gone forward, as if it had been copied; the audit log then shows it. The transaction must commit in
   * either case.
   */
  async use(manager: EntityManager, actor: Actor, proven: ProvenPasskey): Promise<boolean> {
    const { passkey, purpose, opened, signCount, backedUp } = proven;
    const { id, userId } = passkey;
    const current = await this.passkeys.find(id, userId, manager);
    if (!current || !(await this.challenges.useUp(manager, opened, userId))) return false;
    const lastUsed = Date.now();
    if (await this.passkeys.use(manager, id, { signCount, backedUp, lastUsed })) {
      if (purpose === 'sign-in') await this.passkeys.noteUseAlone(manager, id, lastUsed);
      return true;
    }
    await this.auditLog.record(manager, actor, {
      action: 'passkey.refuse',
      subject: { id, name: current.name },
      changes: auditChanges(current, { signCount }, ['signCount']),
    });
    return false;
  }
}
