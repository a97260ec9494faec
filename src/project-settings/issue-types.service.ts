import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { TransactionsService } from '../database/transactions.service';
import { ProjectCountersService } from '../projects/project-counters.service';
import { type ProjectResource } from '../projects/project-resource';
import { type AddIssueTypeDto } from './dto/add-issue-type.dto';
import { type IssueTypeDto } from './dto/issue-type.dto';
import { type UpdateIssueTypeDto } from './dto/update-issue-type.dto';
import { ISSUE_TYPES, toIssueTypeDto } from './issue-type.mapper';
import { changeSetting, insertSetting, listOfProject, takeWithSubstitute } from './setting-kind';
import { type Replace } from './setting-replacer';

/** The kinds of issues that a project has. */
@Injectable()
export class IssueTypesService {
  private readonly replacers: Replace[] = [];

  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly counters: ProjectCountersService,
  ) {}

  /** Has a module told of each issue type that another replaces. */
  onReplaced(replace: Replace): void {
    this.replacers.push(replace);
  }

  /** A project's issue types, in their order. */
  list(projectId: number): Promise<IssueTypeDto[]> {
    return listOfProject(this.dataSource, ISSUE_TYPES, projectId);
  }

  /** The id of the project's first issue type. */
  async getFirstId(manager: EntityManager, projectId: number): Promise<number> {
    const [row] = await manager.query<{ id: number }[]>(
      'SELECT id FROM issue_type WHERE project_id = ? ORDER BY display_order LIMIT 1',
      [projectId],
    );
    return (row as { id: number }).id;
  }

  /**
   * Adds an issue type after the others (`docs/protocol.md#add-an-issue-type-to-a-project`).
   * @throws InvalidRequestError when the project has one of that name, ResourceOverflowError when it has too many
   */
  add(projectId: number, body: AddIssueTypeDto): Promise<IssueTypeDto> {
    return this.transactions.run((manager) => this.insert(manager, projectId, body));
  }

  /** Adds an issue type in a transaction that is open already. */
  async insert(
    manager: EntityManager,
    projectId: number,
    { name, color, templateSummary = '', templateDescription = '' }: AddIssueTypeDto,
  ): Promise<IssueTypeDto> {
    const number = await this.counters.take(manager, projectId, 'issueType');
    const row = await insertSetting(manager, ISSUE_TYPES, {
      projectId,
      name,
      color,
      displayOrder: number - 1,
      templateSummary: emptyToNull(templateSummary),
      templateDescription: emptyToNull(templateDescription),
    });
    return toIssueTypeDto(row);
  }

  /**
   * Changes what the body has.
   * @throws InvalidRequestError when the project has another of that name
   */
  update({ id }: ProjectResource, body: UpdateIssueTypeDto): Promise<IssueTypeDto> {
    const { name, color, templateSummary, templateDescription } = body;
    return this.transactions.run(async (manager) => {
      const { after } = await changeSetting(manager, ISSUE_TYPES, id, {
        name,
        color,
        templateSummary: emptyToNull(templateSummary),
        templateDescription: emptyToNull(templateDescription),
      });
      return toIssueTypeDto(after);
    });
  }

  /**
   * Removes an issue type and gives what it was; its issues get the substitute.
   * @throws InvalidRequestError when the substitute is none of the project's other issue types
   */
  delete({ id, projectId }: ProjectResource, substituteId: number): Promise<IssueTypeDto> {
    return this.transactions.run(async (manager) => {
      await this.counters.giveBack(manager, projectId, 'issueType');
      const { row, substitute } = await takeWithSubstitute(manager, ISSUE_TYPES, id, {
        id: substituteId,
        field: 'substituteIssueTypeId',
      });
      for (const replace of this.replacers) await replace(manager, projectId, id, substitute.id);
      await manager.query('DELETE FROM issue_type WHERE id = ?', [id]);
      return toIssueTypeDto(row);
    });
  }
}

/** A template that is not set has no text. */
const emptyToNull = <Text extends string | null | undefined>(text: Text): Text | null =>
  text === '' ? null : text;
