import { TextField } from '../../http/request/fields';

/** Body of a request that adds or renames an item of a custom field. */
export class CustomFieldItemNameDto {
  @TextField({
    description: 'The name, unique in the custom field regardless of case.',
    min: 1,
    max: 255,
    trim: true,
    example: 'macOS',
  })
  name: string;
}
