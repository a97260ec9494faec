import { DateField, TextField } from '../../http/request/fields';
import { UniqueNameField } from './unique-name-field';

/** Body of a new version. */
export class AddVersionDto {
  @UniqueNameField('1.0')
  name: string;

  @TextField({
    description: 'The description.',
    max: 100_000,
    optional: true,
    example: 'The first one for everybody.',
  })
  description = '';

  @DateField({
    description: 'The start date.',
    optional: true,
    nullable: true,
    example: '2026-01-31',
  })
  startDate?: string | null;

  @DateField({
    description: 'The release due date, not before `startDate`.',
    optional: true,
    nullable: true,
    example: '2026-02-28',
  })
  releaseDueDate?: string | null;
}
