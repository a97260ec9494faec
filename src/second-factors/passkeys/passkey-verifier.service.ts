import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ThreadOnDemand, TooMuchWorkError } from '../../event-loop/thread-on-demand';
import { type VerifyAnswer, type VerifyRequest } from './passkey-worker';
import {
  type Expectation,
  type NewCredential,
  type PasskeyAnswer,
  type ProvenAnswer,
  type RegistrationAnswer,
} from './webauthn';

/** A check takes a few milliseconds; the rest is for the start of the thread on a busy machine. */
const MAX_MS = 10_000;
const MAX_MEMORY_MB = 64;
const MAX_IDLE_MS = 30_000;

/**
 * Verifies answers of authenticators on a thread, because loading the library takes 0.5 s. The methods return undefined for a wrong answer.
 * They throw TooManyRequestsError and ServiceUnavailableError when too many answers wait, or the machine is overloaded.
 */
@Injectable()
export class PasskeyVerifierService implements OnApplicationShutdown {
  private readonly thread = new ThreadOnDemand<VerifyRequest, VerifyAnswer>(
    __dirname,
    'passkey-worker',
    { name: 'passkeys', waiting: 200, waitingOfUser: 20, waitMs: 10_000 },
    { milliseconds: MAX_MS, megabytes: MAX_MEMORY_MB, idleMs: MAX_IDLE_MS },
  );

  /** Verifies that a user has made a passkey. */
  async verifyRegistration(
    userId: number,
    registration: RegistrationAnswer,
    expected: Expectation,
  ): Promise<NewCredential | undefined> {
    return (await this.ask(userId, { registration, expected })) as NewCredential | undefined;
  }

  /** Verifies that a user has used their passkey. */
  verifyAnswer(
    userId: number,
    answer: PasskeyAnswer,
    publicKey: string,
    expected: Expectation & { needsVerification: boolean },
  ): Promise<ProvenAnswer | undefined> {
    return this.ask(userId, { answer, publicKey, expected });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.thread.end();
  }

  private async ask(userId: number, request: VerifyRequest): Promise<VerifyAnswer> {
    // A check is too short to watch whether the client is still there.
    const { signal } = new AbortController();
    try {
      return await this.thread.ask({ userId, signal }, request);
    } catch (error) {
      if (error instanceof TooMuchWorkError) return undefined;
      throw error;
    }
  }
}
