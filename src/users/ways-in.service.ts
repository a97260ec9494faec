import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Actor } from '../audit-log/actor';
import { Environment } from '../config/environment';
import { InvalidRequestError } from '../errors/domain-errors';
import { PasswordsService } from './passwords/passwords.service';

/** What lets a user sign in by itself. */
export type WayIn = 'password' | 'passkey' | 'identity';

/** Whether a user has a way in, as the database is now. */
type WayInCheck = (userId: number, manager?: EntityManager) => Promise<boolean>;

/** Users cannot take away their own last way in. */
export class LastWayInError extends InvalidRequestError {
  /** @param field in the path that names it; empty if there is none */
  constructor(field: string) {
    super([
      {
        message:
          'You need this to sign in: set a password, connect another identity provider, or sign in with a passkey alone, first.',
        moreInfo: field,
      },
    ]);
  }
}

/** Answers how a user can sign in: with a password, and with what other modules register (`docs/decisions/0061-sign-in.md#ways-in`). */
@Injectable()
export class WaysInService {
  private readonly checks = new Map<WayIn, WayInCheck>();

  constructor({ PASSWORD_SIGN_IN: hasPasswords }: Environment, passwords: PasswordsService) {
    this.register('password', async (userId, manager) => {
      const owner = hasPasswords ? await passwords.findOwnerById(userId, manager) : undefined;
      return typeof owner?.passwordHash === 'string';
    });
  }

  /** Registers a module that lets users sign in. */
  register(way: WayIn, check: WayInCheck): void {
    this.checks.set(way, check);
  }

  /** Whether a user can sign in in one way. */
  async has(way: WayIn, userId: number): Promise<boolean> {
    return (await this.checks.get(way)?.(userId)) ?? false;
  }

  /**
   * Runs work that takes a way in from a user, whom the transaction has locked.
   * @param field in the path that names it
   * @throws LastWayInError if they take their own last one; for others, an Administrator may
   */
  async keepingOne<T>(
    manager: EntityManager,
    { actor, userId, field }: { actor: Actor; userId: number; field: string },
    work: () => Promise<T>,
  ): Promise<T> {
    if (actor.id !== userId) return work();
    const couldSignIn = await this.hasAny(userId, manager);
    const result = await work();
    if (couldSignIn && !(await this.hasAny(userId, manager))) throw new LastWayInError(field);
    return result;
  }

  private async hasAny(userId: number, manager: EntityManager): Promise<boolean> {
    for (const check of this.checks.values()) if (await check(userId, manager)) return true;
    return false;
  }
}
