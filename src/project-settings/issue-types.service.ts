import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AuditedCaller } from '../access/caller';
import { TransactionsService } from '../database/transactions/transactions.service';
import { ProjectCountersService } from '../projects/project-counters.service';
import { type ProjectResource } from '../projects/project-resource';
import { IssueTypeRepository } from './data/issue-type.repository';
import { type AddIssueTypeDto } from './dto/add-issue-type.dto';
import { type IssueTypeDto } from './dto/issue-type.dto';
import { type UpdateIssueTypeDto } from './dto/update-issue-type.dto';
import { toIssueTypeDto } from './issue-type.mapper';
import { SettingAuditService } from './setting-audit.service';
import { type Replace } from './setting-references';

/** Manages the issue types of a project. */
@Injectable()
export class IssueTypesService {
  private readonly replacers: Replace[] = [];

  constructor(
    private readonly issueTypes: IssueTypeRepository,
    private readonly transactions: TransactionsService,
    private readonly counters: ProjectCountersService,
    private readonly audit: SettingAuditService,
  ) {}

  /** Registers a module's handler for issue types that are replaced by another. */
  onReplaced(replace: Replace): void {
    this.replacers.push(replace);
  }

  /** Returns a project's issue types in their order. */
  async list(projectId: number): Promise<IssueTypeDto[]> {
    return (await this.issueTypes.listOfProject(projectId)).map(toIssueTypeDto);
  }

  /** Returns the id of the project's first issue type. */
  async getFirstId(manager: EntityManager, projectId: number): Promise<number> {
    return (await this.issueTypes.findFirstId(manager, projectId)) as number;
  }

  /**
   * Adds an issue type after the others (`docs/protocol.md#add-an-issue-type-to-a-project`).
   * @throws InvalidRequestError when the project already has one with that name, ResourceOverflowError when it has too many
   */
  add(projectId: number, caller: AuditedCaller, body: AddIssueTypeDto): Promise<IssueTypeDto> {
    return this.transactions.run(async (manager) => {
      const added = await this.insert(manager, projectId, body);
      await this.audit.record(manager, caller, 'issueType.add', { after: added });
      return added;
    });
  }

  /** Adds an issue type in an open transaction. */
  async insert(
    manager: EntityManager,
    projectId: number,
    { name, color, templateSummary = '', templateDescription = '' }: AddIssueTypeDto,
  ): Promise<IssueTypeDto> {
    const number = await this.counters.take(manager, projectId, 'issueType');
    const row = await this.issueTypes.insert(manager, {
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
   * Changes the given fields.
   * @throws InvalidRequestError when the project has another one with that name
   */
  update({ id }: ProjectResource, caller: AuditedCaller, body: UpdateIssueTypeDto): Promise<IssueTypeDto> {
    const { name, color, templateSummary, templateDescription } = body;
    return this.transactions.run(async (manager) => {
      const { before, after } = await this.issueTypes.update(manager, id, {
        name,
        color,
        templateSummary: emptyToNull(templateSummary),
        templateDescription: emptyToNull(templateDescription),
      });
      const updated = toIssueTypeDto(after);
      await this.audit.record(manager, caller, 'issueType.update', {
        before: toIssueTypeDto(before),
        after: updated,
      });
      return updated;
    });
  }

  /**
   * Removes an issue type and returns it; its issues get the substitute.
   * @throws InvalidRequestError when the substitute is not another issue type of the project
   */
  delete(
    { id, projectId }: ProjectResource,
    caller: AuditedCaller,
    substituteId: number,
  ): Promise<IssueTypeDto> {
    return this.transactions.run(async (manager) => {
      await this.counters.giveBack(manager, projectId, 'issueType');
      const { row, substitute } = await this.issueTypes.lockWithSubstitute(manager, id, {
        id: substituteId,
        field: 'substituteIssueTypeId',
      });
      for (const replace of this.replacers) await replace(manager, projectId, id, substitute.id);
      await this.issueTypes.remove(manager, id);
      const removed = toIssueTypeDto(row);
      await this.audit.record(manager, caller, 'issueType.delete', { before: removed });
      return removed;
    });
  }
}

/** Converts an empty text to null: a template without text is not set. */
const emptyToNull = <Text extends string | null | undefined>(text: Text): Text | null =>
  text === '' ? null : text;
