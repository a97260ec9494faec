import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { EncryptionService } from '../../encryption/encryption.service';
import { ExpiredChallengeError, WrongPasskeyError } from '../../errors/domain-errors';
import { hashToken } from '../../users/token';
import { PasskeyRepository } from '../data/passkey.repository';

/** How long a challenge can be answered, in milliseconds. */
export const CHALLENGE_MS = 10 * 60_000;
const NONCE_BYTES = 16;

/** What an answer is for. An answer for one purpose serves no other. */
export type PasskeyPurpose = 'add' | 'confirm' | 'second-factor' | 'sign-in';

/** A challenge that the service has issued, found in an answer. */
export interface OpenedChallenge {
  challenge: string;
  /** In milliseconds since 1970. */
  expires: number;
}

interface Contents {
  purpose: string;
  bearer: string;
  expires: number;
}

/**
 * Issues the challenges that passkeys sign, and recognises them in answers. A challenge is encrypted and contains all that must be known of
 * it, so that strangers who open the sign-in page store nothing (`docs/decisions/0064-passkeys.md#challenges`).
 */
@Injectable()
export class PasskeyChallengesService {
  constructor(
    private readonly encryption: EncryptionService,
    private readonly passkeys: PasskeyRepository,
    private readonly transactions: TransactionsService,
  ) {}

  /** @param bearer what only the browser has to which the challenge is given, or what names its session */
  issue(purpose: PasskeyPurpose, bearer: string): string {
    const contents = {
      purpose,
      bearer: hashToken(bearer),
      expires: Date.now() + CHALLENGE_MS,
      nonce: randomBytes(NONCE_BYTES).toString('base64url'),
    };
    return Buffer.from(this.encryption.encrypt(JSON.stringify(contents))).toString('base64url');
  }

  /**
   * Finds the challenge in the client data of an answer.
   * @throws WrongPasskeyError unless it was issued for this purpose and bearer, ExpiredChallengeError
   */
  open(clientData: string, purpose: PasskeyPurpose, bearer: string): OpenedChallenge {
    const challenge = challengeIn(clientData);
    const contents = challenge === undefined ? undefined : this.contentsOf(challenge);
    if (challenge === undefined || contents?.purpose !== purpose || contents.bearer !== hashToken(bearer)) {
      throw new WrongPasskeyError();
    }
    if (contents.expires <= Date.now()) throw new ExpiredChallengeError();
    return { challenge, expires: contents.expires };
  }

  /** Uses a challenge up for a user whom the transaction has locked; returns false if it has been used before. */
  async useUp(
    manager: EntityManager,
    { challenge, expires }: OpenedChallenge,
    userId: number,
  ): Promise<boolean> {
    // With the user, so that the lock on them decides between two answers.
    const challengeHash = hashToken(`${userId} ${challenge}`);
    if (await this.passkeys.isUsed(manager, challengeHash)) return false;
    await this.passkeys.insertUsed(manager, { challengeHash, expires });
    return true;
  }

  /** Removes used challenges that have expired. */
  removeExpired(): Promise<void> {
    return this.transactions.run((manager) => this.passkeys.deleteExpired(manager, Date.now()));
  }

  private contentsOf(challenge: string): Contents | undefined {
    try {
      const sealed = Buffer.from(challenge, 'base64url').toString();
      return JSON.parse(this.encryption.decrypt(sealed)) as Contents;
    } catch {
      return undefined;
    }
  }
}

/** Returns the challenge in the client data of an answer, which can be any text. */
function challengeIn(clientData: string): string | undefined {
  try {
    const data = JSON.parse(Buffer.from(clientData, 'base64url').toString()) as Record<
      string,
      unknown
    > | null;
    const challenge = data?.challenge;
    // Pages of others cannot embed those of the service.
    return typeof challenge === 'string' && data?.crossOrigin !== true ? challenge : undefined;
  } catch {
    return undefined;
  }
}
