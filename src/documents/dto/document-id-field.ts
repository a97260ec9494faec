import { Matches } from 'class-validator';
import { field, type FieldOptions } from '../../http/request/field';
import { UID } from '../uid';

/** Declares the id of a document or of a comment on one: 32 hexadecimal digits. */
export const UidField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'string',
    normalize: (value) => (value as string).toLowerCase(),
    schema: { type: 'string', pattern: UID.source },
    message: 'must be an id of 32 hexadecimal digits',
    rules: (message) => [Matches(UID, message)],
  });
