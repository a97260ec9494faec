import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Caller } from '../access/caller';
import { missingScopes, type Scope } from '../access/scopes';
import { BackgroundService } from '../background/background.service';
import { type BackgroundWork } from '../background/background-work';
import { isUnavailable } from '../database/connections/database-errors';
import { TransactionsService } from '../database/transactions/transactions.service';
import { type OffsetPaging, type Page, toOffsetPage } from '../paging/page';
import { UsersService } from '../users/users.service';
import { RecentlyViewedRepository, type RecentView, type ViewRow } from './data/recently-viewed.repository';
import { type ViewKind } from './view-kind';

/** Number of views of a kind kept per user. */
const KEPT = 100;
/** Maximum number of pending views in this process; the oldest is dropped. */
const MAX_PENDING = 10_000;
/** Number of views written per transaction. */
const BATCH = 200;
/** Interval between writes, in milliseconds. */
const INTERVAL_MS = 5_000;
const FAILURE = 'Could not store recently viewed objects';

/** The scope with which a read also notes the view. */
const VIEWING: readonly Scope[] = ['write:activities'];

/** Finds the ids that still exist and that the caller can see. */
type FindVisible = (ids: readonly number[]) => Promise<Iterable<number>>;

/** Finds the projects that have not been deleted. */
type FindProjects = (manager: EntityManager, ids: readonly number[]) => Promise<Iterable<number>>;

/**
 * Records the recent views of users. A view is held in memory while the request is answered, and written in the background a few seconds
 * later, in batches (`docs/decisions/0038-watchings-and-views.md`).
 */
@Injectable()
export class ViewsService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ViewsService.name);
  private findProjects: FindProjects = () => Promise.resolve([]);
  /** The views to write, oldest first. */
  private readonly pending = new Map<string, ViewRow>();
  private readonly work: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly views: RecentlyViewedRepository,
    private readonly transactions: TransactionsService,
    private readonly users: UsersService,
  ) {
    this.work = background.add('recent_views', () => this.writePending(), {
      intervalMs: INTERVAL_MS,
      failure: FAILURE,
      // The write is retried, and requests report that the database is unavailable.
      ignored: isUnavailable,
    });
  }

  /** Sets the lookup of existing projects, so that no views of deleted ones are written. */
  setProjectFinder(find: FindProjects): void {
    this.findProjects = find;
  }

  /** Writes the pending views, after any background write has ended. */
  async beforeApplicationShutdown(): Promise<void> {
    try {
      await this.writePending();
    } catch (error) {
      this.logger.error({ err: error }, FAILURE);
    }
  }

  /** Queues a view of a subject by a user, unless an agent or a limited key views it. Writes nothing yet, and cannot fail. */
  note(
    caller: Pick<Caller, 'id' | 'agent' | 'projectIds' | 'scopes'>,
    kind: ViewKind,
    subject: { id: number; projectId: number },
  ): void {
    if (
      caller.agent ||
      caller.projectIds ||
      (caller.scopes && missingScopes(caller.scopes, VIEWING).length > 0)
    )
      return;
    const { id: userId } = caller;
    const key = `${userId} ${kind} ${subject.id}`;
    // Moves the view to the end of the queue.
    this.pending.delete(key);
    this.pending.set(key, {
      userId,
      kind,
      subjectId: subject.id,
      projectId: subject.projectId,
      viewed: Date.now(),
    });
    if (this.pending.size > MAX_PENDING) {
      const [oldest] = this.pending.keys();
      this.pending.delete(oldest as string);
    }
  }

  /** Writes a view of a subject by a user immediately. */
  add(userId: number, kind: ViewKind, subject: { id: number; projectId: number }): Promise<void> {
    const view = { userId, kind, subjectId: subject.id, projectId: subject.projectId, viewed: Date.now() };
    return this.writeAndTrim([view]);
  }

  /** Writes the pending views; resolves when the write has completed or failed. */
  flush(): Promise<void> {
    if (this.pending.size > 0) this.work.start();
    return this.work.whenIdle();
  }

  /** Returns one page of a user's 100 newest views of a kind, ordered by the time of the last view. */
  async page(
    userId: number,
    kind: ViewKind,
    query: OffsetPaging,
    findVisible: FindVisible,
  ): Promise<Page<RecentView>> {
    const recent = await this.findRecent(userId, kind);
    if (recent.length === 0) return toOffsetPage(recent, query);
    const visible = new Set(await findVisible(recent.map(({ subjectId }) => subjectId)));
    const shown = recent.filter(({ subjectId }) => visible.has(subjectId));
    if (query.order === 'asc') shown.reverse();
    return toOffsetPage(shown.slice(query.offset, query.offset + query.count + 1), query);
  }

  /** Removes up to `limit` views in a project, and returns the number removed. */
  removeOfProject(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    return this.views.deleteOfProject(manager, projectId, limit);
  }

  /** Returns a user's views, newest first, including pending ones. */
  private async findRecent(userId: number, kind: ViewKind): Promise<RecentView[]> {
    // Read before the statement, so that views written concurrently are still included.
    const waiting = [...this.pending.values()].filter((view) => view.userId === userId && view.kind === kind);
    const written = await this.views.findOfUser(userId, kind);
    const latest = new Map<number, number>();
    // Views in the same millisecond keep the order of this list.
    for (const { subjectId, viewed } of [...waiting.reverse(), ...written]) {
      latest.set(subjectId, Math.max(viewed, latest.get(subjectId) ?? 0));
    }
    return [...latest]
      .map(([subjectId, viewed]) => ({ subjectId, viewed }))
      .sort((one, other) => other.viewed - one.viewed)
      .slice(0, KEPT);
  }

  private async writePending(): Promise<void> {
    // Views added during this run wait for the next one.
    const waiting = [...this.pending];
    for (let start = 0; start < waiting.length; start += BATCH) {
      const batch = waiting.slice(start, start + BATCH);
      await this.writeAndTrim(batch.map(([, view]) => view));
      // Skips views that have been replaced by newer ones during the write.
      for (const [key, view] of batch) if (this.pending.get(key) === view) this.pending.delete(key);
    }
  }

  /**
   * Writes views, and then trims those of their users in another transaction: of two processes that write views of a user at once, the
   * one that trims last sees those of both.
   */
  private async writeAndTrim(views: readonly ViewRow[]): Promise<void> {
    const userIds = await this.transactions.run((manager) => this.write(manager, views));
    if (userIds.length === 0) return;
    await this.transactions.run((manager) => this.views.trim(manager, userIds, KEPT));
  }

  /** Writes views and returns the ids of their users. */
  private async write(manager: EntityManager, views: readonly ViewRow[]): Promise<number[]> {
    const userIds = [...new Set(views.map(({ userId }) => userId))];
    // Users and projects may have been deleted since.
    const users = await this.users.findByIds(userIds, manager);
    const projects = new Set(
      await this.findProjects(manager, [...new Set(views.map(({ projectId }) => projectId))]),
    );
    // Sorted in a fixed order, so that two processes do not deadlock.
    const rows = views
      .filter(({ userId, projectId }) => users.has(userId) && projects.has(projectId))
      .sort(
        (one, other) => one.userId - other.userId || one.kind - other.kind || one.subjectId - other.subjectId,
      );
    if (rows.length > 0) await this.views.write(manager, rows);
    return [...new Set(rows.map(({ userId }) => userId))];
  }
}
