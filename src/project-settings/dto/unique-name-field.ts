import { TextField } from '../../http/request/fields';

/** The name of a project setting. */
export const UniqueNameField = (example: string): PropertyDecorator =>
  TextField({
    description: 'Unique in the project, whatever the case of its letters.',
    min: 1,
    max: 255,
    trim: true,
    example,
  });
