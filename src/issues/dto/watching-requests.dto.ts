import { BooleanField, EnumField, IdListField, TextField } from '../../http/request/fields';
import { OffsetPageQuery } from '../../http/request/page-query';

const MAX_NOTE = 2000;

const NoteField = (): PropertyDecorator =>
  TextField({
    description: 'A note for oneself.',
    max: MAX_NOTE,
    optional: true,
    nullable: true,
    example: 'Ask again on Friday.',
  });

/** A reference to an issue in a request body, by id or key as in paths. */
export class NamedIssueDto {
  @TextField({
    description: 'Id of the issue, or its key. All digits are an id.',
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
      'By when the issue was added to the watchings, when its note was changed, or when it was changed itself.',
    values: ['created', 'updated', 'issueUpdated'] satisfies WatchingSortKey[],
    default: 'issueUpdated',
    optional: true,
  })
  readonly sort: WatchingSortKey = 'issueUpdated';

  @BooleanField({ description: 'Only those that are marked as read, or that are not.', optional: true })
  readonly resourceAlreadyRead?: boolean;

  @IdListField({ description: 'Only those of one of these issues.', optional: true })
  readonly issueId: number[] = [];
}

/** The watchings of a user to count. */
export class CountWatchingsQuery {
  @BooleanField({ description: 'Only those that are marked as read, or that are not.', optional: true })
  readonly resourceAlreadyRead?: boolean;

  @BooleanField({
    description:
      'Only those that are marked as checked, or that are not; without effect beside `resourceAlreadyRead`.',
    optional: true,
  })
  readonly alreadyRead?: boolean;
}
