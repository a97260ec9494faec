import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { isDuplicate } from '../database/database-errors';
import { insertRow, insertRows } from '../database/statements';
import { Transactions } from '../database/transactions';
import { InvalidRequestError } from '../errors/domain-errors';
import { ProjectCounters } from '../projects/project-counters.service';
import { type AddIssueTypeDto } from './dto/add-issue-type.dto';
import { type AddStatusDto } from './dto/add-status.dto';
import { type IssueTypeDto } from './dto/issue-type.dto';
import { type StatusDto } from './dto/status.dto';
import { IssueStatus } from './entities/issue-status.entity';
import { IssueType } from './entities/issue-type.entity';
import { foldName } from './fold-name';
import { toIssueTypeDto, toStatusDto } from './project-settings.mapper';
import { StandardStatus } from './standard-status';

/** The statuses of a new project (decisions, section 4). */
const STANDARD_STATUSES = [
  { standard: StandardStatus.Open, name: 'Open', color: '#ed8077', displayOrder: 1000 },
  { standard: StandardStatus.InProgress, name: 'In Progress', color: '#4488c5', displayOrder: 2000 },
  { standard: StandardStatus.Resolved, name: 'Resolved', color: '#5eb5a6', displayOrder: 3000 },
  { standard: StandardStatus.Closed, name: 'Closed', color: '#a1af2f', displayOrder: 4000 },
];

/** What a project's issues can be and where they can stand. */
@Injectable()
export class ProjectSettingsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly counters: ProjectCounters,
  ) {}

  /**
   * Spec 4.5: the new type comes last.
   * @throws InvalidRequestError when the project has one of that name, ResourceOverflowError when it has too many
   */
  addIssueType(projectId: number, body: AddIssueTypeDto): Promise<IssueTypeDto> {
    return this.transactions.run((manager) => this.insertIssueType(manager, projectId, body));
  }

  /**
   * Spec 4.6: the new status comes just before Closed.
   * @throws InvalidRequestError when the project has one of that name, ResourceOverflowError when it has too many
   */
  addStatus(projectId: number, { name, color }: AddStatusDto): Promise<StatusDto> {
    return this.transactions.run(async (manager) => {
      await this.counters.take(manager, projectId, 'status');
      const displayOrder = await this.makeRoomBeforeClosed(manager, projectId);
      const row = { projectId, name, nameKey: foldName(name), color, displayOrder, standard: null };
      const id = await refusingDuplicateName(insertRow(manager, IssueStatus, row));
      return toStatusDto({ ...row, id });
    });
  }

  /** Writes an issue type in a transaction that is open already. */
  async insertIssueType(
    manager: EntityManager,
    projectId: number,
    { name, color, templateSummary = '', templateDescription = '' }: AddIssueTypeDto,
  ): Promise<IssueTypeDto> {
    const number = await this.counters.take(manager, projectId, 'issueType');
    const row = {
      projectId,
      name,
      nameKey: foldName(name),
      color,
      displayOrder: number - 1,
      templateSummary: templateSummary === '' ? null : templateSummary,
      templateDescription: templateDescription === '' ? null : templateDescription,
    };
    const id = await refusingDuplicateName(insertRow(manager, IssueType, row));
    return toIssueTypeDto({ ...row, id });
  }

  /** Gives a new project its four statuses. */
  async insertStandardStatuses(manager: EntityManager, projectId: number): Promise<void> {
    await this.counters.take(manager, projectId, 'status', STANDARD_STATUSES.length);
    await insertRows(
      manager,
      IssueStatus,
      STANDARD_STATUSES.map((status) => ({ projectId, nameKey: foldName(status.name), ...status })),
    );
  }

  /** The id of one of the project's standard statuses. */
  async getStandardStatusId(
    manager: EntityManager,
    projectId: number,
    standard: StandardStatus,
  ): Promise<number> {
    const [row] = await manager.query<{ id: number }[]>(
      'SELECT id FROM issue_status WHERE project_id = ? AND standard = ?',
      [projectId, standard],
    );
    return (row as { id: number }).id;
  }

  /**
   * The place just before Closed. Statuses that were put there earlier move one down; the project's counter, which this
   * transaction holds, keeps two from doing it at once.
   */
  private async makeRoomBeforeClosed(manager: EntityManager, projectId: number): Promise<number> {
    const rows = await manager.query<{ standard: StandardStatus | null; displayOrder: number }[]>(
      `SELECT standard, display_order AS displayOrder FROM issue_status
        WHERE project_id = ? AND standard IN (?, ?)`,
      [projectId, StandardStatus.Resolved, StandardStatus.Closed],
    );
    const orderOf = (standard: StandardStatus): number =>
      rows.find((row) => row.standard === standard)?.displayOrder as number;
    const closed = orderOf(StandardStatus.Closed);
    await manager.query(
      `UPDATE issue_status SET display_order = display_order - 1
        WHERE project_id = ? AND display_order > ? AND display_order < ?`,
      [projectId, orderOf(StandardStatus.Resolved), closed],
    );
    return closed - 1;
  }
}

async function refusingDuplicateName<T>(insert: Promise<T>): Promise<T> {
  try {
    return await insert;
  } catch (error) {
    if (isDuplicate(error)) throw InvalidRequestError.of('name', 'The project has one of that name already.');
    throw error;
  }
}
