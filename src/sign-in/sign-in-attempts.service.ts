import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type EntityManager } from 'typeorm';
import { TransactionsService } from '../database/transactions/transactions.service';
import { TooManyRequestsError } from '../errors/domain-errors';
import { SignInFailuresRepository } from './data/sign-in-failures.repository';
import { ADDRESS_WAITS, NAME_WAITS, waitAfter, type WaitRule } from './sign-in-waits';

/** Time after which failures are forgotten, in milliseconds. */
const MEMORY_MS = 24 * 60 * 60_000;
const REMEMBERED_WAITS = 10_000;

/** Who tries to sign in. */
export interface Attempt {
  /** The login name as entered; nobody may have it. */
  name: string;
  /** The group of the client's address (`addressGroup`). */
  address: string;
  /** Whether the user has a session from this address: failures from elsewhere do not make them wait. */
  isKnownAddress: boolean;
  /**
   * Whether a second factor is tried, a code or a passkey: its failures count apart, so that a right password does not make them forgotten.
   * The name is then the user's id.
   */
  isCode?: true;
}

interface Subject {
  key: string;
  rule: WaitRule;
}

/**
 * Counts attempts to sign in by login name and by address, in all processes together, and makes those after failures wait for longer and
 * longer (`docs/decisions/0061-sign-in.md#guessing`). An attempt counts as failed until it has succeeded, so that attempts at the same time
 * count, too.
 */
@Injectable()
export class SignInAttemptsService {
  /** Until when subjects have to wait, so that refusing a flood of attempts does not use the database. Created with the first. */
  private waits?: LRUCache<string, number>;

  constructor(
    private readonly transactions: TransactionsService,
    private readonly failures: SignInFailuresRepository,
  ) {}

  /**
   * Refuses an address that is known to have to wait, before anything is read for its attempt.
   * @throws TooManyRequestsError
   */
  refuseWaiting(address: string): void {
    this.requireNoWait([subjectOfAddress(address)], (key) => this.waits?.get(key) ?? 0);
  }

  /**
   * Counts an attempt before its password is checked.
   * @throws TooManyRequestsError when the name or the address has to wait
   */
  async begin(attempt: Attempt): Promise<void> {
    const subjects = subjectsOf(attempt);
    this.requireNoWait(subjects, (key) => this.waits?.get(key) ?? 0);
    const waits = await this.transactions.run(async (manager) => {
      const now = Date.now();
      const keys = subjects.map(({ key }) => key);
      const rows = new Map(
        (await this.failures.lock(manager, keys, now)).map((row) => [
          row.subject,
          row.expires > now ? row : { ...row, failures: 0, waitsUntil: 0 },
        ]),
      );
      const waitsUntil = new Map([...rows.values()].map((row) => [row.subject, row.waitsUntil]));
      if ([...waitsUntil.values()].some((until) => until > now)) return waitsUntil;
      for (const { key, rule } of subjects) {
        const failures = (rows.get(key)?.failures ?? 0) + 1;
        const wait = waitAfter(failures, rule);
        await this.failures.update(manager, {
          subject: key,
          failures,
          waitsUntil: now + wait,
          expires: now + MEMORY_MS,
        });
      }
      return undefined;
    });
    if (!waits) return;
    this.waits ??= new LRUCache({ max: REMEMBERED_WAITS });
    for (const [key, until] of waits) this.waits.set(key, until);
    this.requireNoWait(subjects, (key) => waits.get(key) ?? 0);
  }

  /** Takes the attempt back, and forgets the failures for its name. Those of others from the same address remain. */
  async succeed(manager: EntityManager, attempt: Attempt): Promise<void> {
    const [ofName, ofAddress] = subjectsOf(attempt);
    await this.failures.delete(manager, ofName.key);
    await this.failures.takeBack(manager, ofAddress.key);
    this.transactions.afterCommit(manager, () => {
      this.waits?.delete(ofName.key);
      this.waits?.delete(ofAddress.key);
    });
  }

  /** Removes what is to be forgotten, and returns the number of rows. */
  removeExpired(limit: number): Promise<number> {
    return this.transactions.run((manager) => this.failures.deleteExpired(manager, Date.now(), limit));
  }

  private requireNoWait(subjects: readonly Subject[], waitOf: (key: string) => number): void {
    const now = Date.now();
    for (const { key, rule } of subjects) {
      const wait = waitOf(key) - now;
      if (wait > 0) throw TooManyRequestsError.after('sign_ins', rule.free, wait);
    }
  }
}

function subjectsOf({
  name,
  address,
  isKnownAddress,
  isCode,
}: Attempt): [ofName: Subject, ofAddress: Subject] {
  // Unambiguous, whatever name somebody enters.
  const who = [isCode ? 'code of' : 'name', name, ...(isKnownAddress ? [address] : [])];
  return [{ key: hash('sha256', JSON.stringify(who)), rule: NAME_WAITS }, subjectOfAddress(address)];
}

const subjectOfAddress = (address: string): Subject => ({
  key: hash('sha256', `address ${address}`),
  rule: ADDRESS_WAITS,
});
