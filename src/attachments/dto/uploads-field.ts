import { IdListField } from '../../http/request/fields';

/** The uploads to attach to what a request adds. */
export const UploadsField = (description = "The caller's uploads to attach."): PropertyDecorator =>
  IdListField({ description, optional: true, example: [] });
