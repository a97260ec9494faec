import { IdListField } from '../../http/request/fields';

/** The users to notify of the thing that a request adds. */
export const NotifiedUsersField = (): PropertyDecorator =>
  IdListField({
    description: 'Users to notify: members of the project, or Administrators.',
    optional: true,
    example: [2],
  });
