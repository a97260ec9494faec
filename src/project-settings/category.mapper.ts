import { type CategoryRow } from './data/category.repository';
import { type CategoryDto } from './dto/category.dto';

/** Maps a category row to its API representation. */
export const toCategoryDto = ({ id, projectId, name, displayOrder }: CategoryRow): CategoryDto => ({
  id,
  projectId,
  name,
  displayOrder,
});
