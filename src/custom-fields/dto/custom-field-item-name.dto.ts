import { TextField } from '../../http/request/fields';

/** An item of a custom field, as a request names it. */
export class CustomFieldItemNameDto {
  @TextField({
    description: 'Unique in the custom field, whatever the case of its letters.',
    min: 1,
    max: 255,
    trim: true,
    example: 'macOS',
  })
  name: string;
}
