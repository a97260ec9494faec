import { Injectable } from '@nestjs/common';
import { TransactionsService } from '../database/transactions/transactions.service';
import { ProjectCountersService } from '../projects/project-counters.service';
import { type ProjectResource } from '../projects/project-resource';
import { type AuditedCaller } from '../access/caller';
import { toCategoryDto } from './category.mapper';
import { CategoryRepository } from './data/category.repository';
import { type CategoryDto } from './dto/category.dto';
import { SettingAuditService } from './setting-audit.service';
import { type RemoveReferences } from './setting-references';

/** Manages the categories of a project's issues. */
@Injectable()
export class CategoriesService {
  private readonly references: RemoveReferences[] = [];

  constructor(
    private readonly categories: CategoryRepository,
    private readonly transactions: TransactionsService,
    private readonly counters: ProjectCountersService,
    private readonly audit: SettingAuditService,
  ) {}

  /** Registers a module's handler for categories that are removed. */
  onRemoved(remove: RemoveReferences): void {
    this.references.push(remove);
  }

  /** Returns a project's categories in their order. */
  async list(projectId: number): Promise<CategoryDto[]> {
    return (await this.categories.listOfProject(projectId)).map(toCategoryDto);
  }

  /**
   * Adds a category as the last one.
   * @throws InvalidRequestError when the project already has one with that name, ResourceOverflowError when it has too many
   */
  add(projectId: number, caller: AuditedCaller, name: string): Promise<CategoryDto> {
    return this.transactions.run(async (manager) => {
      const number = await this.counters.take(manager, projectId, 'category');
      const row = { projectId, name, displayOrder: number - 1 };
      const added = toCategoryDto(await this.categories.insert(manager, row));
      await this.audit.record(manager, caller, 'category.add', { after: added });
      return added;
    });
  }

  /**
   * Renames a category.
   * @throws InvalidRequestError when the project has another one with that name
   */
  update({ id }: ProjectResource, caller: AuditedCaller, name: string): Promise<CategoryDto> {
    return this.transactions.run(async (manager) => {
      const { before, after } = await this.categories.update(manager, id, { name });
      const updated = toCategoryDto(after);
      await this.audit.record(manager, caller, 'category.update', {
        before: toCategoryDto(before),
        after: updated,
      });
      return updated;
    });
  }

  /** Removes a category, also from its issues, and returns it. */
  delete({ id, projectId }: ProjectResource, caller: AuditedCaller): Promise<CategoryDto> {
    return this.transactions.run(async (manager) => {
      await this.counters.giveBack(manager, projectId, 'category');
      const removed = toCategoryDto(await this.categories.lock(manager, id));
      for (const remove of this.references) await remove(manager, id);
      await this.categories.remove(manager, id);
      await this.audit.record(manager, caller, 'category.delete', { before: removed });
      return removed;
    });
  }
}
