import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type ArchivedRecord, type RecordKind, recordKinds } from '../archives/record-kinds';
import { withMappedIds } from '../archives/record-references';
import { type Actor } from '../audit-log/actor';
import { AuditLogService } from '../audit-log/audit-log.service';
import { isDuplicate } from '../database/connections/database-errors';
import { TransactionsService } from '../database/transactions/transactions.service';
import { ConflictError, InvalidRequestError } from '../errors/domain-errors';
import { loopTurns } from '../event-loop/loop-turns';
import { SearchIndexService } from '../search-index/search-index.service';
import { SearchKind } from '../search-index/search-kind';
import { TeamMembershipsService } from '../teams/team-memberships.service';
import { type UserDto } from '../users/dto/user.dto';
import { UsersService } from '../users/users.service';
import { ImportRunRepository } from './data/import-run.repository';
import { changeRow, deleteRow, type KindRow, lockKindRow, readRows } from './data/merge-rows';
import { ImportState } from './import-state';

const ROWS_AT_ONCE = 200;
/** Passes over all rows: one of them may refer to the placeholder after it has been passed. */
const PASSES = 3;

const INDEXED: Readonly<Record<string, SearchKind | undefined>> = {
  issue: SearchKind.Issue,
  comment: SearchKind.Comment,
  document: SearchKind.Document,
};

/** The people of a merge. */
interface Merge {
  from: number;
  into: number;
  /** The projects whose memberships have changed. */
  projectIds: Set<number>;
}

/** Joins people whom an import has added to the users that they are (`docs/decisions/0069-imports.md`). */
@Injectable()
export class UserMergeService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly runs: ImportRunRepository,
    private readonly users: UsersService,
    private readonly memberships: TeamMembershipsService,
    private readonly searches: SearchIndexService,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Makes everything that refers to a placeholder refer to a user, in short transactions, and removes the placeholder. It reads all contents
   * of the space once. A killed merge is simply run again.
   * @param from the placeholder
   * @param into the user who they are
   * @throws InvalidRequestError, ConflictError while an import has not ended
   */
  async merge(actor: Actor, from: number, into: number): Promise<UserDto> {
    await this.requireMergeable(from, into);
    const merge: Merge = { from, into, projectIds: new Set() };
    const kinds = (await recordKinds()).filter(({ name }) => name !== 'user');
    for (let pass = 1; ; pass++) {
      for (const kind of kinds) await this.mergeKind(kind, merge);
      for (const projectId of merge.projectIds) await this.memberships.recount(projectId, into);
      if (await this.remove(actor, merge)) return this.users.get(into);
      if (pass === PASSES) throw inUseError();
    }
  }

  private async requireMergeable(from: number, into: number): Promise<void> {
    if (!(await this.users.isPlaceholder(from)))
      throw InvalidRequestError.of('userId', 'This user is no placeholder of an import.');
    if (into === from || !(await this.users.isActive(into)))
      throw InvalidRequestError.of('intoUserId', 'There is no other user with this id.');
    const states = [ImportState.Running, ImportState.Stopped, ImportState.Cancelling];
    if ((await this.runs.findInStates(states)).length > 0) throw unfinishedError();
  }

  private async mergeKind(kind: RecordKind, merge: Merge): Promise<void> {
    const mark = String(merge.from);
    for (let rows: KindRow[] | undefined, last: KindRow | undefined; rows?.length !== 0; last = rows.at(-1)) {
      rows = await readRows(this.dataSource, kind, last, ROWS_AT_ONCE);
      const affected: KindRow[] = [];
      for (const row of rows)
        if (mayName(row, mark) && (await changesOf(kind, row, merge))) affected.push(row);
      if (affected.length > 0) {
        await this.transactions.run(async (manager) => {
          for (const row of affected) await this.mergeRow(manager, kind, row, merge);
        });
      }
      const pause = loopTurns.pause();
      if (pause) await pause;
    }
  }

  private async mergeRow(
    manager: EntityManager,
    kind: RecordKind,
    row: KindRow,
    merge: Merge,
  ): Promise<void> {
    const current = await lockKindRow(manager, kind, row);
    const changes = current && (await changesOf(kind, current, merge));
    if (!current || !changes) return;
    try {
      await changeRow(manager, kind, current, changes);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      // The user has done the same: a star, a watching, a membership.
      if (kind.name === 'projectMember') await keepRights(manager, kind, current, merge.into);
      await deleteRow(manager, kind, current);
    }
    if (kind.name === 'projectMember') merge.projectIds.add(current.project_id as number);
    const searchKind = INDEXED[kind.name];
    if (searchKind !== undefined) await this.searches.noteChange(manager, searchKind, current.id as number);
  }

  /** @returns false if something refers to the placeholder */
  private remove(actor: Actor, { from, into }: Merge): Promise<boolean> {
    return this.transactions.run(async (manager) => {
      const [placeholder, user] = [await this.users.get(from, manager), await this.users.get(into, manager)];
      for (const { id, options } of await this.runs.lockWithPerson(manager, from)) {
        const users = { ...options.users, [placeholder.userId]: user.userId };
        await this.runs.update(manager, id, { options: { ...options, users } });
      }
      await this.runs.renamePerson(manager, from, into);
      if (!(await this.users.removeImported(manager, from))) return false;
      await this.auditLog.record(manager, actor, {
        action: 'user.merge',
        subject: { id: into, name: user.userId },
        changes: [{ field: 'placeholder', from: placeholder.userId, to: null }],
      });
      return true;
    });
  }
}

/** The error of a merge while rows of an import may still be written. */
export const unfinishedError = (): ConflictError =>
  ConflictError.of('userId', 'An import has not ended: wait for it, or cancel it.');

const inUseError = (): ConflictError =>
  ConflictError.of('userId', 'Others keep referring to the placeholder: try again later.');

/** Gives the user's own membership what that of the placeholder has. */
async function keepRights(
  manager: EntityManager,
  kind: RecordKind,
  { project_id, project_administrator, direct }: KindRow,
  into: number,
): Promise<void> {
  const changes = {
    ...(project_administrator && { project_administrator }),
    ...(direct && { direct }),
  };
  if (Object.keys(changes).length > 0)
    await changeRow(manager, kind, { project_id: project_id ?? null, user_id: into }, changes);
}

const mayName = (row: KindRow, mark: string): boolean =>
  Object.values(row).some((value) =>
    typeof value === 'string' ? value.includes(mark) : String(value) === mark,
  );

/** Returns the columns of a row that refer to the placeholder, with their new values; undefined if none does. */
async function changesOf(
  kind: RecordKind,
  row: KindRow,
  { from, into }: Merge,
): Promise<KindRow | undefined> {
  const record: Record<string, unknown> = {};
  for (const { name, column, isJson } of kind.fields) {
    const value = row[column.name] ?? null;
    record[name] = isJson && value !== null ? (JSON.parse(value as string) as unknown) : value;
  }
  const mapped: ArchivedRecord = await withMappedIds(kind, record, (target, id) =>
    target === 'user' && Number(id) === from ? (into as typeof id) : id,
  );
  const changes: KindRow = {};
  for (const { name, column, isJson } of kind.fields) {
    const before = isJson ? JSON.stringify(record[name]) : record[name];
    const after = isJson ? JSON.stringify(mapped[name]) : mapped[name];
    if (before !== after) changes[column.name] = after as KindRow[string];
  }
  return Object.keys(changes).length > 0 ? changes : undefined;
}
