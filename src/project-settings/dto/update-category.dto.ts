import { AddCategoryDto } from './add-category.dto';

/** A category's new name. */
export class UpdateCategoryDto extends AddCategoryDto {}
