import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { BackgroundService } from '../background/background.service';
import { type BackgroundWork } from '../background/background-work';
import { isUnavailable } from '../database/database-errors';
import { TransactionsService } from '../database/transactions.service';
import { type OffsetPaging, type Page, toOffsetPage } from '../paging/page';
import { UsersService } from '../users/users.service';
import { RecentlyViewedRepository, type RecentView, type ViewRow } from './data/recently-viewed.repository';
import { type ViewKind } from './view-kind';

/** How many views of a kind are kept for each user. */
const KEPT = 100;
/** How many views wait in this process; the oldest gives way. */
const MAX_PENDING = 10_000;
/** How many are written in one transaction. */
const BATCH = 200;
/** How long a view waits, in milliseconds. */
const INTERVAL_MS = 5_000;
const FAILURE = 'Could not write what users have viewed';

/** Finds those of the ids that are still there and that the caller may see. */
type FindVisible = (ids: readonly number[]) => Promise<Iterable<number>>;

/** Finds those of the projects that have not been deleted. */
type FindProjects = (manager: EntityManager, ids: readonly number[]) => Promise<Iterable<number>>;

/**
 * Who has viewed what last. A view is noted in memory while the request is answered, and written in the background a few seconds
 * later, many at once (`docs/decisions/0038-watchings-and-views.md`).
 */
@Injectable()
export class ViewsService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ViewsService.name);
  private findProjects: FindProjects = () => Promise.resolve([]);
  /** The views to be written, the oldest first. */
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
      // They are tried again, and requests report that the database cannot be reached.
      ignored: isUnavailable,
    });
  }

  /** Has the projects found that have not been deleted, so that nothing is written about others. */
  findProjectsBy(find: FindProjects): void {
    this.findProjects = find;
  }

  /** Writes what is still waiting, once nothing does so in the background. */
  async beforeApplicationShutdown(): Promise<void> {
    try {
      await this.writePending();
    } catch (error) {
      this.logger.error({ err: error }, FAILURE);
    }
  }

  /** Notes that a user is shown something. Writes nothing now, and cannot fail. */
  note(userId: number, kind: ViewKind, subject: { id: number; projectId: number }): void {
    const key = `${userId} ${kind} ${subject.id}`;
    // To the end of the queue.
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

  /** Writes that a user has viewed something, at once. */
  add(userId: number, kind: ViewKind, subject: { id: number; projectId: number }): Promise<void> {
    const view = { userId, kind, subjectId: subject.id, projectId: subject.projectId, viewed: Date.now() };
    return this.transactions.run((manager) => this.write(manager, [view]));
  }

  /** Writes what is waiting; resolves when that is done, or has failed. */
  flush(): Promise<void> {
    if (this.pending.size > 0) this.work.start();
    return this.work.whenIdle();
  }

  /** One page of what a user has viewed of a kind, by the time of the last view; of the newest 100. */
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

  /** Removes up to `limit` views in a project, and returns how many there were. */
  removeOfProject(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    return this.views.deleteOfProject(manager, projectId, limit);
  }

  /** The newest first, those that wait to be written among them. */
  private async findRecent(userId: number, kind: ViewKind): Promise<RecentView[]> {
    // Before the statement: what is written meanwhile is still among them.
    const waiting = [...this.pending.values()].filter((view) => view.userId === userId && view.kind === kind);
    const written = await this.views.findOfUser(userId, kind);
    const latest = new Map<number, number>();
    // Within a millisecond, the order of this list stays.
    for (const { subjectId, viewed } of [...waiting.reverse(), ...written]) {
      latest.set(subjectId, Math.max(viewed, latest.get(subjectId) ?? 0));
    }
    return [...latest]
      .map(([subjectId, viewed]) => ({ subjectId, viewed }))
      .sort((one, other) => other.viewed - one.viewed)
      .slice(0, KEPT);
  }

  private async writePending(): Promise<void> {
    // What is viewed meanwhile waits for the next run.
    const waiting = [...this.pending];
    for (let start = 0; start < waiting.length; start += BATCH) {
      const batch = waiting.slice(start, start + BATCH);
      await this.transactions.run((manager) =>
        this.write(
          manager,
          batch.map(([, view]) => view),
        ),
      );
      // Unless it has been viewed again meanwhile.
      for (const [key, view] of batch) if (this.pending.get(key) === view) this.pending.delete(key);
    }
  }

  private async write(manager: EntityManager, views: readonly ViewRow[]): Promise<void> {
    // Users and projects may be gone since.
    const users = await this.users.findByIds(
      views.map(({ userId }) => userId),
      manager,
    );
    const projects = new Set(
      await this.findProjects(manager, [...new Set(views.map(({ projectId }) => projectId))]),
    );
    // In one order, so that two processes do not wait for each other.
    const rows = views
      .filter(({ userId, projectId }) => users.has(userId) && projects.has(projectId))
      .sort(
        (one, other) => one.userId - other.userId || one.kind - other.kind || one.subjectId - other.subjectId,
      );
    if (rows.length === 0) return;
    await this.views.write(manager, rows);
    await this.views.trim(manager, [...new Set(rows.map(({ userId }) => userId))], KEPT);
  }
}
