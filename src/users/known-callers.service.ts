import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Caller } from '../access/caller';

/** Time for which a found credential is cached, in milliseconds; a revoked one stops working within this time in every process. */
const CACHE_MS = 3000;
const CACHED_CREDENTIALS = 10_000;

/** A valid credential with its user. */
export interface KnownCredential {
  caller: Caller;
}

/** Returns whether a caller must set up a second factor before anything else. */
export type FactorCheck = (caller: Caller) => Promise<boolean>;

/** Caches the users of credentials, by the hashes of these. Every module that stores credentials uses the same cache. */
@Injectable()
export class KnownCallersService {
  private readonly known = new LRUCache<string, KnownCredential>({ max: CACHED_CREDENTIALS, ttl: CACHE_MS });
  /** Hashes of credentials that were found at least once and have not been missing since. */
  private readonly proven = new LRUCache<string, true>({ max: CACHED_CREDENTIALS });
  /** Number of calls of `forget`: a credential read before a call must not be cached after it. */
  private forgotten = 0;
  private lacksFactor?: FactorCheck;

  /** Registers the check for second factors, which runs once for each cached credential. Without it, no caller needs one. */
  setFactorCheck(check: FactorCheck): void {
    this.lacksFactor = check;
  }

  /** Returns a credential from the cache, without a promise, because most requests find theirs there. */
  get(hash: string): KnownCredential | undefined {
    return this.known.get(hash);
  }

  /**
   * Returns a credential by `load`, and caches it.
   * @param hash of the credential, after a prefix for its kind: a credential of one kind must never be found as another
   */
  async load<Credential extends KnownCredential>(
    hash: string,
    find: () => Promise<Credential | undefined>,
  ): Promise<Credential | undefined> {
    const { forgotten } = this;
    const found = await find();
    if (!found) {
      this.known.delete(hash);
      this.proven.delete(hash);
      return undefined;
    }
    if (await this.lacksFactor?.(found.caller)) found.caller.lacksFactor = true;
    this.proven.set(hash, true);
    if (this.forgotten === forgotten) this.known.set(hash, found);
    return found;
  }

  /** Whether a credential has been found in this process. */
  isProven(hash: string): boolean {
    return this.proven.has(hash);
  }

  /** Removes the cached credentials of a user after a change of these, or of the user's role or state. */
  forget(userId: number): void {
    this.forgotten++;
    for (const [hash, { caller }] of this.known.entries()) {
      if (caller.id === userId) this.known.delete(hash);
    }
  }
}
