import { type CategoryRow } from './data/category.repository';
import { type CategoryDto } from './dto/category.dto';

/** A category as the wire shows it. */
export const toCategoryDto = ({ id, projectId, name, displayOrder }: CategoryRow): CategoryDto => ({
  id,
  projectId,
  name,
  displayOrder,
});
