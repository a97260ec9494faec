import { UniqueNameField } from './unique-name-field';

/** A new category. */
export class AddCategoryDto {
  @UniqueNameField('Payments')
  name: string;
}
