import { type CommentDto } from '../comments/dto/comment.dto';
import { partsOf } from '../event-loop/long-lists';
import { IntegerField } from '../http/request/fields';
import { IdPageQuery } from '../http/request/page-query';
import { type Page } from '../paging/page';

/** Maximum number of comments on a page, and of the characters of their texts together, unless a single comment has more. */
export const COMMENTS_AT_ONCE = 30;
const MAX_LENGTH = 500_000;

const CommentIdField = (description: string): PropertyDecorator =>
  IntegerField({ description, min: 1, max: Number.MAX_SAFE_INTEGER - 1, format: 'int64', optional: true });

/** The comments to show; without parameters, the newest. */
export class CommentsPageQuery {
  @CommentIdField('Only comments older than the one with this id.')
  readonly before?: number;

  @CommentIdField('Only comments newer than the one with this id.')
  readonly after?: number;
}

/** Comments on a page, newest first. */
export interface CommentsPage {
  comments: CommentDto[];
  /** The query of the page with older comments; absent if there are none. */
  older?: string;
  newer?: string;
}

/** A description and a page of its comments. */
export interface Discussion {
  /** As HTML. */
  description: string;
  comments: CommentsPage;
  /** The texts of the comments as HTML, in order. */
  contents: string[];
}

/** Returns the query with which the API reads the comments. */
export function idPageOf({ before, after }: CommentsPageQuery): IdPageQuery {
  const range =
    before !== undefined
      ? { maxId: before - 1 }
      : after !== undefined && ({ order: 'asc', minId: after + 1 } as const);
  return Object.assign(new IdPageQuery(), { count: COMMENTS_AT_ONCE }, range);
}

/** Returns the comments to show of those that have been read with the query. */
export function commentsPageOf({ before, after }: CommentsPageQuery, page: Page<CommentDto>): CommentsPage {
  const read = notTooLong(page.items);
  const hasMore = page.next !== undefined || read.length < page.items.length;
  const isUpwards = before === undefined && after !== undefined;
  const comments = isUpwards ? read.toReversed() : read;
  const hasOlder = isUpwards || hasMore;
  const hasNewer = before !== undefined || (isUpwards && hasMore);
  const oldest = comments.at(-1)?.id ?? (after ?? 0) + 1;
  const newest = comments[0]?.id ?? (before ?? 0) - 1;
  return {
    comments,
    ...(hasOlder && { older: `?before=${oldest}#comments` }),
    ...(hasNewer && newest > 0 && { newer: `?after=${newest}#comments` }),
  };
}

/** Returns the first of these comments. */
function notTooLong(comments: CommentDto[]): CommentDto[] {
  const [first = []] = partsOf(comments, MAX_LENGTH, ({ content }) => content.length);
  return first;
}
