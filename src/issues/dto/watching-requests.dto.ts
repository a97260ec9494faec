import { BooleanField, EnumField, IdListField, TextField } from '../../http/request/fields';
import { OffsetPageQuery } from '../../http/request/page-query';

const MAX_NOTE = 2000;

const NoteField = (): PropertyDecorator =>
  TextField({
    description: 'A personal note.',
    max: MAX_NOTE,
    optional: true,
    nullable: true,
    example: 'Ask again on Friday.',
  });

/** A reference to an issue in a request body, by id or key as in paths. */
export class NamedIssueDto {
  @TextField({
    description: 'Id or key of the issue. All digits are an id.',
    min: 1,
    max: 255,
    example: 'DEMO-1',
  })
  issueIdOrKey: string;
}

/** Body of a request that adds a watching. */
export class AddWatchingDto extends NamedIssueDto {
  @NoteField()
  note?: string | null;
}

/** Body of a request that updates a watching. */
export class UpdateWatchingDto {
  @NoteField()
  note?: string | null;
}

export type WatchingSortKey = 'created' | 'updated' | 'issueUpdated';

/** The watchings of a user to list, and their order. */
export class ListWatchingsQuery extends OffsetPageQuery {
  @EnumField({
    description:
      'The sort key: the time at which the watching was added, its note was changed, or the issue was changed.',
    values: ['created', 'updated', 'issueUpdated'] satisfies WatchingSortKey[],
    default: 'issueUpdated',
    optional: true,
  })
  readonly sort: WatchingSortKey = 'issueUpdated';

  @BooleanField({
    description: '`true`: only watchings marked as read; `false`: only others.',
    optional: true,
  })
  readonly resourceAlreadyRead?: boolean;

  @IdListField({ description: 'Only watchings of one of these issues.', optional: true })
  readonly issueId: number[] = [];
}

/** The watchings of a user to count. */
export class CountWatchingsQuery {
  @BooleanField({
    description: '`true`: only watchings marked as read; `false`: only others.',
    optional: true,
  })
  readonly resourceAlreadyRead?: boolean;

  @BooleanField({
    description:
      '`true`: only watchings marked as checked; `false`: only others. No effect together with `resourceAlreadyRead`.',
    optional: true,
  })
  readonly alreadyRead?: boolean;
}
