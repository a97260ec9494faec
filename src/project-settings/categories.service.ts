import { Injectable } from '@nestjs/common';
import { TransactionsService } from '../database/transactions.service';
import { ProjectCountersService } from '../projects/project-counters.service';
import { type ProjectResource } from '../projects/project-resource';
import { toCategoryDto } from './category.mapper';
import { CategoryRepository } from './data/category.repository';
import { type CategoryDto } from './dto/category.dto';

/** The categories of a project's issues. */
@Injectable()
export class CategoriesService {
  constructor(
    private readonly categories: CategoryRepository,
    private readonly transactions: TransactionsService,
    private readonly counters: ProjectCountersService,
  ) {}

  /** A project's categories, in their order. */
  async list(projectId: number): Promise<CategoryDto[]> {
    return (await this.categories.listOfProject(projectId)).map(toCategoryDto);
  }

  /**
   * The new category comes last.
   * @throws InvalidRequestError when the project has one of that name, ResourceOverflowError when it has too many
   */
  add(projectId: number, name: string): Promise<CategoryDto> {
    return this.transactions.run(async (manager) => {
      const number = await this.counters.take(manager, projectId, 'category');
      const row = { projectId, name, displayOrder: number - 1 };
      return toCategoryDto(await this.categories.insert(manager, row));
    });
  }

  /**
   * Renames a category.
   * @throws InvalidRequestError when the project has another of that name
   */
  update({ id }: ProjectResource, name: string): Promise<CategoryDto> {
    return this.transactions.run(async (manager) => {
      const { after } = await this.categories.update(manager, id, { name });
      return toCategoryDto(after);
    });
  }

  /** Removes a category, also from its issues, and returns what it was. */
  delete({ id, projectId }: ProjectResource): Promise<CategoryDto> {
    return this.transactions.run(async (manager) => {
      await this.counters.giveBack(manager, projectId, 'category');
      const row = await this.categories.lock(manager, id);
      await this.categories.remove(manager, id);
      return toCategoryDto(row);
    });
  }
}
