import { columnsOf } from '../database/statements';
import { type CategoryDto } from './dto/category.dto';
import { Category } from './entities/category.entity';
import { type SettingKind } from './setting-kind';

const COLUMNS = ['id', 'projectId', 'name', 'displayOrder'] as const;

/** What of a category is read. */
export type CategoryRow = Pick<Category, (typeof COLUMNS)[number]>;

/** A category as the wire shows it. */
export const toCategoryDto = ({ id, projectId, name, displayOrder }: CategoryRow): CategoryDto => ({
  id,
  projectId,
  name,
  displayOrder,
});

/** How categories are read and written. */
export const CATEGORIES: SettingKind<CategoryRow, CategoryDto> = {
  what: 'category',
  entity: Category,
  select: `SELECT ${columnsOf('t', COLUMNS)} FROM category t`,
  toDto: toCategoryDto,
};
