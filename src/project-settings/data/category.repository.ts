import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Category } from '../entities/category.entity';
import { SettingRepository } from './setting.repository';

const KEYS = ['id', 'projectId', 'name', 'displayOrder'] as const;

/** The columns read of a category. */
export type CategoryRow = Pick<Category, (typeof KEYS)[number]>;

/** Repository of categories. */
@Injectable()
export class CategoryRepository extends SettingRepository<CategoryRow> {
  constructor(dataSource: DataSource) {
    super(dataSource, Category, 'category', 'category', KEYS);
  }
}
