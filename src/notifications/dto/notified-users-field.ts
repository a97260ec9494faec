import { IdListField } from '../../http/request/fields';

/** Declares the users to notify of the added content. */
export const NotifiedUsersField = (): PropertyDecorator =>
  IdListField({
    description: 'Users to notify: members of the project, or Administrators.',
    optional: true,
    example: [2],
  });
