import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { type EntityRunner } from '../../database/sql/statements';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { NoResourceError } from '../../errors/domain-errors';
import { toTimestamp } from '../../http/request/timestamp';
import { CountLimitsService } from '../../limits/count-limits.service';
import { Page } from '../../paging/page';
import { UsersService } from '../../users/users.service';
import { IssueRepository } from '../data/issue.repository';
import { WatchingRepository, type WatchingRow } from '../data/watching.repository';
import { type IssueDto } from '../dto/issue.dto';
import {
  type AddWatchingDto,
  type CountWatchingsQuery,
  type ListWatchingsQuery,
  type UpdateWatchingDto,
} from '../dto/watching-requests.dto';
import { type WatchingDto } from '../dto/watching.dto';
import { IssueReaderService } from '../issue-reader.service';
import { NamedIssueService, unknownIssueError } from '../named-issue.service';
import { type WatchingResource } from './watching.loader';

/** Manages watchings of issues (`docs/decisions/0038-watchings-and-views.md`). */
@Injectable()
export class WatchingsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly watchings: WatchingRepository,
    private readonly issues: IssueRepository,
    private readonly named: NamedIssueService,
    private readonly users: UsersService,
    private readonly limits: CountLimitsService,
    private readonly reader: IssueReaderService,
  ) {}

  /** Returns one page of a user's watchings. */
  async list(userId: number, caller: Caller, query: ListWatchingsQuery): Promise<Page<WatchingDto>> {
    const { items, next } = await this.watchings.findPage(await this.watcher(userId, caller), query);
    const issues = await this.reader.findByIds(items.map(({ issueId }) => issueId));
    const byId = new Map(issues.map((issue) => [issue.id, issue]));
    return new Page(
      items.flatMap((row) => {
        const issue = byId.get(row.issueId);
        // The issue may have been deleted since.
        return issue ? [toWatchingDto(row, issue)] : [];
      }),
      next,
    );
  }

  /** Counts a user's watchings. */
  async count(userId: number, caller: Caller, query: CountWatchingsQuery): Promise<{ count: number }> {
    return { count: await this.watchings.count(await this.watcher(userId, caller), query) };
  }

  /**
   * Returns one watching.
   * @throws NoResourceError when it no longer exists
   */
  async get(id: number, runner?: EntityRunner): Promise<WatchingDto> {
    const row = await this.watchings.find(id, runner);
    if (!row) throw new NoResourceError('watching');
    return toWatchingDto(row, await this.reader.get(row.issueId, { runner }));
  }

  /**
   * Makes the caller watch an issue. If they already watch it, returns the existing watching, with the new note if given.
   * @throws InvalidRequestError for an issue that the caller cannot see, ResourceOverflowError when the caller watches too many issues or
   *   the issue has too many watchers
   */
  add(caller: Caller, { issueIdOrKey, note }: AddWatchingDto): Promise<WatchingDto> {
    return this.named.use(caller, issueIdOrKey, ({ id: issueId, projectId }) =>
      this.transactions.run(async (manager) => {
        // Both are locked because both have a limit; the order is the same everywhere.
        await this.users.lockEvenIfLeft(manager, caller.id);
        if (!(await this.issues.lock(manager, issueId))) throw unknownIssueError();
        const known = await this.watchings.findId(manager, caller.id, issueId);
        if (known !== undefined) {
          await this.changeNote(manager, known, note);
          return this.get(known, manager);
        }
        this.limits.require('watching', (await this.watchings.countOfUser(manager, caller.id)) + 1);
        this.limits.require('watcher', (await this.watchings.countOfIssue(manager, issueId)) + 1);
        const now = Date.now();
        const id = await this.watchings.insert(manager, {
          userId: caller.id,
          issueId,
          projectId,
          note: note ?? '',
          alreadyRead: true,
          resourceAlreadyRead: true,
          created: now,
          updated: now,
        });
        return this.get(id, manager);
      }),
    );
  }

  /** Updates the note; `null` clears it. */
  async update({ id }: WatchingResource, { note }: UpdateWatchingDto): Promise<WatchingDto> {
    await this.transactions.run((manager) => this.changeNote(manager, id, note === null ? '' : note));
    return this.get(id);
  }

  /** Deletes a watching and returns its last state. */
  delete({ id }: WatchingResource): Promise<WatchingDto> {
    return this.transactions.run(async (manager) => {
      const watching = await this.get(id, manager);
      await this.watchings.delete(manager, id);
      return watching;
    });
  }

  /** Marks a watching as read and checked. */
  markAsRead({ id }: WatchingResource): Promise<void> {
    return this.transactions.run((manager) =>
      this.watchings.update(manager, id, { alreadyRead: true, resourceAlreadyRead: true }),
    );
  }

  /** Marks all of the caller's watchings as checked. */
  markAsChecked(caller: Caller): Promise<void> {
    return this.transactions.run((manager) => this.watchings.markChecked(manager, caller));
  }

  /** Returns the user whose watchings are read, with the role that decides what they may still see. */
  private watcher(userId: number, caller: Caller): Promise<Caller> | Caller {
    return userId === caller.id ? caller : this.users.get(userId);
  }

  private async changeNote(manager: EntityManager, id: number, note?: string | null): Promise<void> {
    if (note == null) return;
    await this.watchings.update(manager, id, { note, updated: Date.now() });
  }
}

const toWatchingDto = (row: WatchingRow, issue: IssueDto): WatchingDto => ({
  id: row.id,
  resourceAlreadyRead: row.resourceAlreadyRead,
  note: row.note,
  type: 'issue',
  issue,
  lastContentUpdated: issue.updated,
  created: toTimestamp(row.created),
  updated: toTimestamp(row.updated),
});
