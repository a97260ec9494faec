import { IdListField } from '../../http/request/fields';

/** Body of a new order of a project's statuses. */
export class UpdateStatusDisplayOrderDto {
  @IdListField({
    description:
      'All statuses of the project, with Open first, Closed last, and In Progress before Resolved.',
    min: 1,
    example: [1, 2, 5, 3, 4],
  })
  statusId: number[];
}
