import { TextField } from '../../http/fields';

/** A new category. */
export class AddCategoryDto {
  @TextField({
    description: 'Unlike any other in the project, whatever the case of its letters.',
    min: 1,
    max: 255,
    trim: true,
    example: 'Payments',
  })
  name: string;
}
