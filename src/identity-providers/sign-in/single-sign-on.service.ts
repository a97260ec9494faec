import { hash, timingSafeEqual } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { addressGroup } from '../../http/request/client-address';
import { RateLimit } from '../../limits/rate-limit';
import { type Browser } from '../../sessions/sessions.service';
import { type SignInProgress } from '../../sign-in/second-step.service';
import { RevocationsService } from '../../users/revocations.service';
import { generateToken, hashToken } from '../../users/token';
import {
  type ProtocolSecrets,
  type ProvedPerson,
  ProviderClientsService,
} from '../client/provider-clients.service';
import { IdentityProviderRepository, type ProviderRow } from '../data/identity-provider.repository';
import { type AttemptRow, SsoAttemptRepository } from '../data/sso-attempt.repository';
import { SsoFailure } from '../sso-failure';
import { AdmissionService } from './admission.service';
import { AttemptPurpose } from './attempt-purpose';

/** How long a person may take at the provider, in milliseconds. */
export const ATTEMPT_MS = 10 * 60_000;
/** Attempts from an address in a minute: each stores a row, and a return sends a request. */
const MAX_ATTEMPTS = 300;
const WINDOW_SECONDS = 60;

/** A browser that goes to a provider. */
export interface Departure {
  /** Of the provider. */
  key: string;
  redirectUri: string;
  /** The path of the page to go to afterwards. */
  target: string;
  purpose: AttemptPurpose;
  /** The user who has signed in, and their session; only to confirm or to connect. */
  user?: { id: number; sessionId: number };
  /** The token of the invitation that the person accepts; only to join. */
  invitation?: string;
}

/** A browser that comes back from a provider. */
export interface Return {
  /** Of the provider in the path. */
  key: string;
  redirectUri: string;
  query: URLSearchParams;
  /** The token that the browser got on its departure; undefined without one. */
  token: string | undefined;
  browser: Browser;
  /** The user who has signed in, and their session. */
  user?: { id: number; sessionId: number };
  /** The language of a new user. */
  lang: string;
}

/** What a return has led to: a step of signing in, or null for a connected identity; and the page to go to. */
export interface Arrival {
  progress: SignInProgress | null;
  target: string;
}

/**
 * Leads browsers to identity providers and back (`docs/decisions/0065-single-sign-on.md`). The token of a browser binds the return to the
 * departure: everything that the protocol keeps secret is derived from it, so that the database has only its hash.
 */
@Injectable()
export class SingleSignOnService {
  private readonly logger = new Logger(SingleSignOnService.name);
  private readonly attemptRates = new RateLimit('sign_ins', MAX_ATTEMPTS, WINDOW_SECONDS);

  constructor(
    private readonly transactions: TransactionsService,
    private readonly clients: ProviderClientsService,
    private readonly providers: IdentityProviderRepository,
    private readonly attempts: SsoAttemptRepository,
    private readonly admission: AdmissionService,
    revocations: RevocationsService,
  ) {
    revocations.onRevocation((manager, userId) => this.attempts.deleteOfUser(manager, userId));
  }

  /**
   * Returns the address at the provider, and the token for the browser.
   * @param address of the client
   * @throws SsoFailure, which has been logged; TooManyRequestsError
   */
  async depart(departure: Departure, address: string): Promise<{ url: string; token: string }> {
    const { key, redirectUri, target, purpose, user, invitation } = departure;
    await this.attemptRates.count(addressGroup(address));
    return this.logging(key, async () => {
      const provider = await this.findEnabled(key);
      const token = generateToken();
      const again = purpose === AttemptPurpose.Confirm;
      const url = await this.clients.authorizationUrl(provider, redirectUri, secretsOf(token), again);
      const created = Date.now();
      await this.transactions.run((manager) =>
        this.attempts.insert(manager, {
          tokenHash: hashToken(token),
          providerId: provider.id,
          purpose,
          userId: user?.id ?? null,
          sessionId: user?.sessionId ?? null,
          invitationHash: invitation === undefined ? null : hashToken(invitation),
          target,
          created,
          expires: created + ATTEMPT_MS,
        }),
      );
      return { url, token };
    });
  }

  /**
   * Finds the attempt of a browser that comes back, and uses it up; undefined if there is none. The state is compared first, so that a link of
   * another site does not end the attempt.
   */
  async take({ token, query }: Pick<Return, 'token' | 'query'>): Promise<AttemptRow | undefined> {
    if (token === undefined || !hasState(token, query)) return undefined;
    return this.transactions.run((manager) => this.attempts.take(manager, hashToken(token), Date.now()));
  }

  /** Logs why a browser that comes back has no attempt. @throws SsoFailure */
  refuse({ key, token, query }: Pick<Return, 'key' | 'token' | 'query'>): Promise<never> {
    return this.logging(key, () => {
      throw token === undefined || hasState(token, query)
        ? new SsoFailure('expired', 'no_attempt', 'The browser has not been sent, or has come back before.')
        : new SsoFailure('expired', 'other_state', 'The return does not belong to this browser.');
    });
  }

  /**
   * Signs a person in, confirms who they are, connects their identity, or makes them a user with an invitation.
   * @param attempt which `take` has returned
   * @throws SsoFailure, which has been logged; as `AdmissionService.join` for an invitation
   */
  arrive(attempt: AttemptRow, arrival: Return): Promise<Arrival> {
    const { key, token = '', redirectUri, query, browser, user, lang } = arrival;
    return this.logging(key, async () => {
      const provider = await this.findEnabled(key);
      if (attempt.providerId !== provider.id) {
        throw new SsoFailure('invalid', 'other_provider', 'The browser was sent to another provider.');
      }
      if (attempt.sessionId !== null && attempt.sessionId !== user?.sessionId) {
        throw new SsoFailure('expired', 'session_ended', 'The session has ended meanwhile.');
      }
      const person = await this.clients.exchange(provider, redirectUri, query, secretsOf(token));
      const { target } = attempt;
      if (attempt.purpose === AttemptPurpose.Connect) {
        await this.admission.connect(provider, person, { id: attempt.userId ?? 0, address: browser.address });
        return { progress: null, target };
      }
      return { progress: await this.admit(attempt, provider, person, browser, lang), target };
    });
  }

  private admit(
    attempt: AttemptRow,
    provider: ProviderRow,
    person: ProvedPerson,
    browser: Browser,
    lang: string,
  ): Promise<SignInProgress> {
    const { purpose, invitationHash } = attempt;
    if (purpose === AttemptPurpose.Confirm) {
      return this.admission.confirm(provider, person, attempt, browser);
    }
    if (purpose === AttemptPurpose.Join) {
      return this.admission.join(provider, person, invitationHash ?? '', browser, lang);
    }
    return this.admission.signIn(provider, person, browser, lang);
  }

  /** Removes attempts that have expired, and returns their number. */
  removeExpired(limit: number): Promise<number> {
    return this.transactions.run((manager) => this.attempts.deleteExpired(manager, Date.now(), limit));
  }

  private async findEnabled(key: string): Promise<ProviderRow> {
    const provider = await this.providers.findByKey(key);
    if (!provider?.enabled) throw new SsoFailure('unavailable', 'no_provider');
    return provider;
  }

  private async logging<T>(provider: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SsoFailure) {
        const { code, detail } = error;
        this.logger.warn({ provider, code, detail }, 'Single sign-on failed');
      }
      throw error;
    }
  }
}

/** Derives what the protocol needs from the token of a browser, which none of it reveals. */
function secretsOf(token: string): ProtocolSecrets {
  const derive = (what: string): string => hash('sha256', `${what} ${token}`, 'base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

/** Whether a browser comes back with the state with which it was sent, and no other. */
function hasState(token: string, query: URLSearchParams): boolean {
  const state = Buffer.from(secretsOf(token).state);
  const given = Buffer.from(query.getAll('state').join(' '));
  return given.length === state.length && timingSafeEqual(given, state);
}
