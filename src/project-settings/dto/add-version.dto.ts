import { DateField, TextField } from '../../http/request/fields';
import { UniqueNameField } from './unique-name-field';

/** Body of a new version. */
export class AddVersionDto {
  @UniqueNameField('1.0')
  name: string;

  @TextField({
    description: 'What it is about.',
    max: 100_000,
    optional: true,
    example: 'The first one for everybody.',
  })
  description = '';

  @DateField({
    description: 'Day on which the work on it starts.',
    optional: true,
    nullable: true,
    example: '2026-01-31',
  })
  startDate?: string | null;

  @DateField({
    description: 'Day on which it is due, not before it starts.',
    optional: true,
    nullable: true,
    example: '2026-02-28',
  })
  releaseDueDate?: string | null;
}
