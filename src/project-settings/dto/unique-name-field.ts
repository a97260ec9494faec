import { TextField } from '../../http/request/fields';

/** The name of a project setting. */
export const UniqueNameField = (example: string): PropertyDecorator =>
  TextField({
    description: 'The name, unique in the project regardless of case.',
    min: 1,
    max: 255,
    trim: true,
    example,
  });
