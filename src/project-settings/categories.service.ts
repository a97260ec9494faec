import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { TransactionsService } from '../database/transactions.service';
import { ProjectCountersService } from '../projects/project-counters.service';
import { type ProjectResource } from '../projects/project-resource';
import { CATEGORIES, toCategoryDto } from './category.mapper';
import { type CategoryDto } from './dto/category.dto';
import { changeSetting, insertSetting, listOfProject, takeRow } from './setting-kind';

/** What a project's issues can be sorted into. */
@Injectable()
export class CategoriesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly counters: ProjectCountersService,
  ) {}

  /** A project's categories, in their order. */
  list(projectId: number): Promise<CategoryDto[]> {
    return listOfProject(this.dataSource, CATEGORIES, projectId);
  }

  /**
   * The new category comes last.
   * @throws InvalidRequestError when the project has one of that name, ResourceOverflowError when it has too many
   */
  add(projectId: number, name: string): Promise<CategoryDto> {
    return this.transactions.run(async (manager) => {
      const number = await this.counters.take(manager, projectId, 'category');
      const row = { projectId, name, displayOrder: number - 1 };
      return toCategoryDto(await insertSetting(manager, CATEGORIES, row));
    });
  }

  /**
   * Renames a category.
   * @throws InvalidRequestError when the project has another of that name
   */
  update({ id }: ProjectResource, name: string): Promise<CategoryDto> {
    return this.transactions.run(async (manager) => {
      const { after } = await changeSetting(manager, CATEGORIES, id, { name });
      return toCategoryDto(after);
    });
  }

  /** Removes a category, also from its issues, and gives what it was. */
  delete({ id, projectId }: ProjectResource): Promise<CategoryDto> {
    return this.transactions.run(async (manager) => {
      await this.counters.giveBack(manager, projectId, 'category');
      const row = await takeRow(manager, CATEGORIES, id);
      await manager.query('DELETE FROM category WHERE id = ?', [id]);
      return toCategoryDto(row);
    });
  }
}
