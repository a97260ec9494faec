import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';

/**
 * Called in the transaction that ends what a user has signed in to.
 * @param keptSessionId the session that changes the password, which goes on
 */
export type RevocationListener = (
  manager: EntityManager,
  userId: number,
  keptSessionId?: number,
) => Promise<void>;

/** Ends what a user has signed in to, when they leave, are disabled or get another password. API keys are not affected. */
@Injectable()
export class RevocationsService {
  private readonly listeners: RevocationListener[] = [];

  /** Registers a module that stores what signing in grants. */
  onRevocation(listener: RevocationListener): void {
    this.listeners.push(listener);
  }

  /** Ends the sessions of a user whom the transaction has locked, except for one if given. */
  async revoke(manager: EntityManager, userId: number, keptSessionId?: number): Promise<void> {
    for (const listener of this.listeners) await listener(manager, userId, keptSessionId);
  }
}
