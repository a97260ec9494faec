import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Category } from '../entities/category.entity';
import { SettingRepository } from './setting.repository';

const KEYS = ['id', 'projectId', 'name', 'displayOrder'] as const;

/** What is read of a category. */
export type CategoryRow = Pick<Category, (typeof KEYS)[number]>;

/** The rows of `category`. */
@Injectable()
export class CategoryRepository extends SettingRepository<CategoryRow> {
  constructor(dataSource: DataSource) {
    super(dataSource, Category, 'category', 'category', KEYS);
  }
}
