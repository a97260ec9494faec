import { IdListField } from '../../http/request/fields';

/** The uploads that a request attaches. */
export const UploadsField = (description = "The caller's uploads to attach."): PropertyDecorator =>
  IdListField({ description, optional: true, example: [] });
