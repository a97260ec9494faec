import { UniqueNameField } from './unique-name-field';

/** Body of a new category. */
export class AddCategoryDto {
  @UniqueNameField('Payments')
  name: string;
}
