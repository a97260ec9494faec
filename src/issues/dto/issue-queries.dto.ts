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
import { SelectedFieldsField } from '../../http/request/selected-fields';
import { RefuseUnknownParameters } from '../../http/request/unknown-names';
import { VALUE_FIELDS } from '../issue-fields';
import { IssueDto } from './issue.dto';

const EXPANSIONS = ['childIssueSummary'] as const;

type Expansion = (typeof EXPANSIONS)[number];

const ExpandField = (): PropertyDecorator =>
  EnumListField({
    description: 'Additional properties of each issue: `childIssueSummary`, the numbers of its child issues.',
    values: EXPANSIONS,
    optional: true,
  });

/** Query parameters of a request for one issue. */
export class GetIssueQuery {
  @ExpandField()
  readonly expand: Expansion[] = [];

  @SelectedFieldsField(IssueDto)
  readonly fields?: string;
}

/** Keys by which issues can be sorted. */
const ISSUE_SORT_KEYS = [
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
  ...VALUE_FIELDS,
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
    rules: (message) => [
      Matches(new RegExp(`^(?:${ISSUE_SORT_KEYS.join('|')})$|${SORT_NAME.source}`), message),
    ],
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
  IdListField({ description: `Only issues ${what}.`, optional: true });

const AnyOfOrNone = (what: string, none: string): PropertyDecorator =>
  IdListField({ description: `Only issues ${what}; ${NONE}: ${none}.`, optional: true, orNone: true });

const From = (what: string): PropertyDecorator =>
  DateField({ description: `Only issues ${what} on or after this day.`, optional: true });

const Until = (what: string): PropertyDecorator =>
  DateField({ description: `Only issues ${what} on or before this day.`, optional: true });

/** The issues to list and their order. An empty list is no filter. */
@RefuseUnknownParameters()
export class ListIssuesQuery extends OffsetPageQuery {
  @SelectedFieldsField(IssueDto)
  readonly fields?: string;

  @AnyOf('in one of these projects; a project that the caller may not see matches nothing')
  readonly projectId: number[] = [];

  @AnyOf('of one of these types')
  readonly issueTypeId: number[] = [];

  @AnyOfOrNone('in one of these categories', 'without a category')
  readonly categoryId: number[] = [];

  @AnyOfOrNone('that affect one of these versions', 'affecting no version')
  readonly versionId: number[] = [];

  @AnyOfOrNone('with one of these milestones', 'without a milestone')
  readonly milestoneId: number[] = [];

  @AnyOf('with one of these statuses; 1 to 4 are Open, In Progress, Resolved and Closed in every project')
  readonly statusId: number[] = [];

  @NumericEnumListField({
    description: 'Only issues with one of these priorities: 2 High, 3 Normal, 4 Low.',
    codes: [2, 3, 4],
    optional: true,
  })
  readonly priorityId: number[] = [];

  @AnyOfOrNone('assigned to one of these users', 'without an assignee')
  readonly assigneeId: number[] = [];

  @AnyOf('added by one of these users')
  readonly createdUserId: number[] = [];

  @NumericEnumListField({
    description:
      "Only issues with one of these resolutions: 0 Fixed, 1 Won't fix, 2 Invalid, 3 Duplicate, 4 Cannot reproduce; -1: without a resolution.",
    codes: [NONE, 0, 1, 2, 3, 4],
    optional: true,
  })
  readonly resolutionId: number[] = [];

  @AnyOf('with one of these ids')
  readonly id: number[] = [];

  @AnyOf('that are children of one of these issues')
  readonly parentIssueId: number[] = [];

  @NumericEnumField({
    description: `Only issues at this place in the hierarchy, which has one level of children: 0 any; 1 and 7 not a child;
2, 6 and 9 a child; 3 neither child nor parent; 4 a parent; 5 a grandchild (there are none); 8 not a grandchild;
10 not a parent.`,
    codes: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    default: ParentChild.All,
    optional: true,
  })
  readonly parentChild: ParentChild = ParentChild.All;

  @BooleanField({
    description: '`true`: only issues with files; `false`: only issues without.',
    optional: true,
  })
  readonly attachment?: boolean;

  @BooleanField({
    description: '`true`: only issues with shared files; `false`: only issues without.',
    optional: true,
  })
  readonly sharedFile?: boolean;

  @TextField({
    description: `Only issues whose summary, description or comments contain every one of these words, each anywhere, also inside other
words; at most ${MAX_WORDS} different words. Case does not matter.`,
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

  @From('starting')
  readonly startDateSince?: string;

  @Until('starting')
  readonly startDateUntil?: string;

  @From('due')
  readonly dueDateSince?: string;

  @Until('due')
  readonly dueDateUntil?: string;

  @field(
    { description: '`false`: only issues without a due date.', optional: true },
    {
      kind: 'boolean',
      schema: { type: 'boolean', enum: [false] },
      message: 'must be false',
      rules: (message) => [Equals(false, message)],
    },
  )
  readonly hasDueDate?: false;

  @SortField({
    description: `The sort key; equal values are ordered by id. Types, statuses, categories, versions and milestones are sorted by their
order in the project, using the first of several; users by name; files, shared files and child issues by their number.
\`customField_{id}\`: the value of a custom field, using the first item of a list and the first 100 characters of a text.`,
    optional: true,
  })
  readonly sort: IssueSortKey | CustomFieldSortKey = 'created';

  @NamedValuesField({
    pattern: FILTER_NAME,
    name: 'customField_{id}',
    description: `\`customField_{id}\`: only issues whose custom field with this id contains every word of a text, or one of these items.
\`customField_{id}_min\`, \`customField_{id}_max\`: only issues whose number or date is at least, or at most, this value.`,
  })
  readonly customFields: NamedValues = new Map();

  @ExpandField()
  readonly expand: Expansion[] = [];
}
