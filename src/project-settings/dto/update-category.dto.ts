import { AddCategoryDto } from './add-category.dto';

/** Body of an update of a category. */
export class UpdateCategoryDto extends AddCategoryDto {}
