import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { TransactionsService } from '../../database/transactions.service';
import { GitPushRepository } from '../data/git-push.repository';
import { type RefUpdate } from '../entities/git-push.entity';
import { GitRefsService } from '../refs/git-refs.service';

/** Changes of refs by one user that git has accepted, and that are about to be recorded. */
export interface AcceptedPush {
  repositoryId: number;
  projectId: number;
  userId: number;
  /** Milliseconds since 1970. */
  created: number;
  updates: readonly RefUpdate[];
}

/**
 * Looks at a push, and at the repository as it is now, and returns what is to be written in the transaction that records the push.
 * That transaction may be run several times, or not at all; then the push is looked at anew.
 */
export type PushListener = (push: AcceptedPush) => Promise<(manager: EntityManager) => Promise<void>>;

/** Turns what git has accepted into activities, at least once each (`docs/decisions/0045-git.md`). */
@Injectable()
export class PushesService {
  private readonly listeners: PushListener[] = [];

  constructor(
    private readonly transactions: TransactionsService,
    private readonly pushes: GitPushRepository,
    private readonly refs: GitRefsService,
  ) {}

  /** Registers a listener; what it writes for a push commits with its activities or not at all. */
  onPush(listener: PushListener): void {
    this.listeners.push(listener);
  }

  /** Writes down who is about to push what; `record` follows once git has accepted or refused it. */
  async announce(repositoryId: number, userId: number, updates: readonly RefUpdate[]): Promise<void> {
    const push = { repositoryId, userId, updates, created: Date.now() };
    await this.transactions.run((manager) => this.pushes.insert(manager, push));
  }

  /** Records all changes of a repository's refs that have not been recorded yet. */
  async record(repositoryId: number): Promise<void> {
    await this.refs.list(repositoryId);
  }

  /**
   * Has a ref point elsewhere for a user, if it is still as expected, and records that.
   * @returns whether it was as expected
   */
  async updateRef(repositoryId: number, userId: number, update: RefUpdate): Promise<boolean> {
    await this.announce(repositoryId, userId, [update]);
    const isDone = await this.refs.compareAndSwap(repositoryId, update);
    await this.record(repositoryId);
    return isDone;
  }
}
