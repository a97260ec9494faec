import { type FieldOptions } from '../../http/request/field';
import { IdField, TimeField } from '../../http/request/fields';

const AUTHOR: FieldOptions = {
  description:
    'Who made the change: any user of the space, also one who has left it. By default, the caller.',
  optional: true,
  example: 2,
};
const TIME: FieldOptions = {
  description: 'When it was made: from 1970 until now. By default, now.',
  optional: true,
  example: '2019-04-01T09:30:00Z',
};

/** When and by whom something was done before it is recorded; the body of a request that records a deletion. */
export class PastDeletionDto {
  @IdField(AUTHOR)
  createdUserId?: number;

  @TimeField(TIME)
  created?: Date;
}

/** When and by whom something was added and last edited before it is recorded. */
export interface PastFields extends PastDeletionDto {
  updatedUserId?: number;
  updated?: Date;
}

/** Derives the body of a request that records a past change from that of the request that makes the change. */
export function WithPast<Dto extends object>(dto: new () => Dto): new () => Dto & PastFields {
  class PastDto extends (dto as new () => object) {
    @IdField(AUTHOR)
    createdUserId?: number;

    @TimeField(TIME)
    created?: Date;

    @IdField({ ...AUTHOR, description: 'Who edited it last. By default, who made the change.' })
    updatedUserId?: number;

    @TimeField({ ...TIME, description: 'When it was edited last, not before `created`. By default, then.' })
    updated?: Date;
  }
  return PastDto as new () => Dto & PastFields;
}
