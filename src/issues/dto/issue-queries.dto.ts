import { Equals, Matches } from 'class-validator';
import { FILTER_NAME, SORT_NAME } from '../../custom-fields/custom-field-names';
import { field, type FieldOptions } from '../../http/request/field';
import {
  BooleanField,
  DateField,
  EnumListField,
  IdListField,
  NONE,
  NumericEnumField,
  NumericEnumListField,
  TextField,
} from '../../http/request/fields';
import { type NamedValues, NamedValuesField } from '../../http/request/named-values';
import { OffsetPageQuery } from '../../http/request/page-query';
import { RefuseUnknownParameters } from '../../http/request/unknown-names';

const EXPANSIONS = ['childIssueSummary'] as const;

type Expansion = (typeof EXPANSIONS)[number];

const ExpandField = (): PropertyDecorator =>
  EnumListField({
    description: 'What to add to each issue: `childIssueSummary`, how many child issues it has.',
    values: EXPANSIONS,
    optional: true,
  });

/** Query parameters of a request for one issue. */
export class GetIssueQuery {
  @ExpandField()
  readonly expand: Expansion[] = [];
}

/** Keys by which issues can be sorted. */
export const ISSUE_SORT_KEYS = [
  'issueType',
  'category',
  'version',
  'milestone',
  'summary',
  'status',
  'priority',
  'attachment',
  'sharedFile',
  'created',
  'createdUser',
  'updated',
  'updatedUser',
  'assignee',
  'startDate',
  'dueDate',
  'estimatedHours',
  'actualHours',
  'childIssue',
] as const;

export type IssueSortKey = (typeof ISSUE_SORT_KEYS)[number];

/** Sort key of a custom field, with its id. */
export type CustomFieldSortKey = `customField_${number}`;

const SortField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'string',
    schema: {
      type: 'string',
      anyOf: [{ enum: [...ISSUE_SORT_KEYS] }, { pattern: SORT_NAME.source }],
      default: 'created',
    },
    message: `must be ${ISSUE_SORT_KEYS.join(' or ')}, or customField_ and an id`,
    rules: (said) => [Matches(new RegExp(`^(?:${ISSUE_SORT_KEYS.join('|')})$|${SORT_NAME.source}`), said)],
  });

/** Maximum number of words in a keyword. */
export const MAX_WORDS = 10;

/** The position of an issue among parents and children. Children have no children of their own. */
export enum ParentChild {
  All = 0,
  NotChild = 1,
  ChildOrGrandchild = 2,
  Standalone = 3,
  HasChildren = 4,
  Grandchild = 5,
  Child = 6,
  TopLevel = 7,
  WithoutGrandchildren = 8,
  WithoutTopLevel = 9,
  Leaf = 10,
}

const AnyOf = (what: string): PropertyDecorator =>
  IdListField({ description: `Only those ${what}.`, optional: true });

const AnyOfOrNone = (what: string, none: string): PropertyDecorator =>
  IdListField({ description: `Only those ${what}; ${NONE}: ${none}.`, optional: true, orNone: true });

const From = (what: string): PropertyDecorator =>
  DateField({ description: `Only those ${what} on this day or later.`, optional: true });

const Until = (what: string): PropertyDecorator =>
  DateField({ description: `Only those ${what} on this day or earlier.`, optional: true });

/** The issues to list and their order. An empty list is no filter. */
@RefuseUnknownParameters()
export class ListIssuesQuery extends OffsetPageQuery {
  @AnyOf('in one of these projects; one that the caller may not see has none')
  readonly projectId: number[] = [];

  @AnyOf('of one of these types')
  readonly issueTypeId: number[] = [];

  @AnyOfOrNone('in one of these categories', 'in no category')
  readonly categoryId: number[] = [];

  @AnyOfOrNone('found in one of these versions', 'found in no version')
  readonly versionId: number[] = [];

  @AnyOfOrNone('to be done for one of these versions', 'to be done for no version')
  readonly milestoneId: number[] = [];

  @AnyOf('in one of these states; 1 to 4 are Open, In Progress, Resolved and Closed of every project')
  readonly statusId: number[] = [];

  @NumericEnumListField({
    description: 'Only those of one of these priorities: 2 High, 3 Normal, 4 Low.',
    codes: [2, 3, 4],
    optional: true,
  })
  readonly priorityId: number[] = [];

  @AnyOfOrNone('assigned to one of these users', 'without an assignee')
  readonly assigneeId: number[] = [];

  @AnyOf('that one of these users has added')
  readonly createdUserId: number[] = [];

  @NumericEnumListField({
    description:
      "Only those of one of these resolutions: 0 Fixed, 1 Won't fix, 2 Invalid, 3 Duplicate, 4 Cannot reproduce; -1: of none.",
    codes: [NONE, 0, 1, 2, 3, 4],
    optional: true,
  })
  readonly resolutionId: number[] = [];

  @AnyOf('with one of these ids')
  readonly id: number[] = [];

  @AnyOf('that are a part of one of these issues')
  readonly parentIssueId: number[] = [];

  @NumericEnumField({
    description: `Their place among parents and children, of which there is one level: 0 any; 1 and 7 not a child;
2, 6 and 9 a child; 3 neither child nor parent; 4 a parent; 5 a grandchild, of which there is none; 8 not a grandchild;
10 no parent.`,
    codes: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    default: ParentChild.All,
    optional: true,
  })
  readonly parentChild: ParentChild = ParentChild.All;

  @BooleanField({ description: 'Only those with files, or only those without.', optional: true })
  readonly attachment?: boolean;

  @BooleanField({ description: 'Only those with shared files, or only those without.', optional: true })
  readonly sharedFile?: boolean;

  @TextField({
    description: `Only those whose summary, description or comments contain every word of it, each anywhere, inside of other
words as well; at most ${MAX_WORDS} different words. The case of letters does not matter.`,
    max: 255,
    trim: true,
    optional: true,
  })
  readonly keyword?: string;

  @From('added')
  readonly createdSince?: string;

  @Until('added')
  readonly createdUntil?: string;

  @From('last changed')
  readonly updatedSince?: string;

  @Until('last changed')
  readonly updatedUntil?: string;

  @From('that begin')
  readonly startDateSince?: string;

  @Until('that begin')
  readonly startDateUntil?: string;

  @From('that are due')
  readonly dueDateSince?: string;

  @Until('that are due')
  readonly dueDateUntil?: string;

  @field(
    { description: '`false`: only those without a due date.', optional: true },
    {
      kind: 'boolean',
      schema: { type: 'boolean', enum: [false] },
      message: 'must be false',
      rules: (said) => [Equals(false, said)],
    },
  )
  readonly hasDueDate?: false;

  @SortField({
    description: `What to sort by; equal values are sorted by id. Types, statuses, categories, versions and milestones sort as
their project orders them, of several the first; users by name; files, shared files and child issues by their number.
\`customField_{id}\`: the value of a custom field, of lists the first item; texts by their first 100 characters.`,
    optional: true,
  })
  readonly sort: IssueSortKey | CustomFieldSortKey = 'created';

  @NamedValuesField({
    pattern: FILTER_NAME,
    name: 'customField_{id}',
    description: `\`customField_{id}\`: only those whose custom field with this id has every word of a text, or one of these items.
\`customField_{id}_min\`, \`customField_{id}_max\`: only those whose number or date is not less, or not more.`,
  })
  readonly customFields: NamedValues = new Map();

  @ExpandField()
  readonly expand: Expansion[] = [];
}
