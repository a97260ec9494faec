import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { customFieldName, parseCustomFieldName, VALUE_NAME } from '../../custom-fields/custom-field-names';
import { CustomFieldReaderService } from '../../custom-fields/custom-field-reader.service';
import {
  type CustomFieldHead,
  type FieldIssueType,
  selectFields,
  selectFieldTypes,
} from '../../custom-fields/data/custom-field-sql';
import { MAX_ISSUE_ITEMS, MAX_ISSUE_TEXT } from '../../custom-fields/custom-field-limits';
import { type WholeCustomField } from '../../custom-fields/custom-field.mapper';
import {
  type CustomValue,
  isNoValue,
  isSameValue,
  NO_CUSTOM_VALUE,
  parseCustomValue,
  parseOtherValue,
} from '../../custom-fields/custom-value';
import { type CustomFieldValueDto } from '../../custom-fields/dto/custom-field-value.dto';
import { groupBy } from '../../database/sql/group-by';
import { type RowsOf, type Select } from '../../database/sql/select-together';
import { InvalidRequestError, type Problem } from '../../errors/domain-errors';
import { validIds } from '../../errors/valid-ids';
import { type NamedValues } from '../../http/request/named-values';
import { MAX_PROBLEMS } from '../../http/request/unknown-names';
import { grouped } from '../../quantities';
import {
  type IssueCustomValues,
  IssueCustomFieldRepository,
  selectValues,
  toCustomValues,
} from '../data/issue-custom-field.repository';
import { type IssueRow } from '../data/issue.repository';
import { isApplicable, toCustomFieldValueDto } from './custom-field-value.mapper';
import { type CustomFieldChange } from './custom-field-changes';

/** Custom fields by id. */
type LockedFields = ReadonlyMap<number, WholeCustomField>;

/** The SELECTs of the custom fields that issues show; none where no project of the issues has custom fields. */
interface ShownFields extends Partial<ReturnType<typeof selectValues>> {
  fields?: Select<CustomFieldHead>;
  issueTypes?: Select<FieldIssueType>;
}

/** The issue whose custom fields a request sets. */
interface Target {
  /** The issue type after the request. */
  issueTypeId: number;
  /** Undefined for a new issue. */
  issueId?: number;
  /** True when the issue is new or its type changes, so that it needs the required fields of the type. */
  isNewOfType: boolean;
}

/** Validates, stores and reads the custom fields of issues (`docs/decisions/0037-custom-fields.md`). */
@Injectable()
export class IssueCustomFieldsService {
  constructor(
    private readonly fields: CustomFieldReaderService,
    private readonly values: IssueCustomFieldRepository,
  ) {}

  /**
   * Returns the custom fields of a project, locked until the transaction ends. The transaction must not have read without a lock before.
   * @throws InvalidRequestError when the request has more items than an issue can have, before any of them is read
   */
  async lockForShare(manager: EntityManager, projectId: number, given: NamedValues): Promise<LockedFields> {
    requireFewItems(given);
    return this.fields.lockOfProject(manager, projectId, [...idsOf(given)]);
  }

  /**
   * Returns the changes of a request.
   * @param fields the fields that the transaction has locked
   * @throws InvalidRequestError naming each field that the issue does not have, that is required, or whose value is invalid
   */
  async changesOf(
    manager: EntityManager,
    fields: LockedFields,
    given: NamedValues,
    { issueId, issueTypeId, isNewOfType }: Target,
  ): Promise<CustomFieldChange[]> {
    const named = idsOf(given);
    const { values, problems } = parse(fields, given, issueTypeId);
    if (problems.length > 0) throw new InvalidRequestError(problems.slice(0, MAX_PROBLEMS));
    if (fields.size === 0) return [];
    const before: IssueCustomValues =
      issueId === undefined
        ? new Map()
        : ((await this.values.findByIssueIds([issueId], manager)).get(issueId) ?? new Map());
    const changes = [...fields.values()].map((field) => {
      const then: CustomValue = before.get(field.id) ?? NO_CUSTOM_VALUE;
      return { field, before: then, after: { ...then, ...values.get(field.id) } };
    });
    requireValues(
      changes.filter(({ field }) => isApplicable(field, issueTypeId) && (isNewOfType || named.has(field.id))),
    );
    requireRoom(changes, named);
    return changes.filter((change) => !isSameValue(change.before, change.after));
  }

  /** Writes the changes of a request. */
  write(manager: EntityManager, issueId: number, changes: readonly CustomFieldChange[]): Promise<void> {
    const rows = changes.map(({ field, before, after }) => ({ customFieldId: field.id, before, after }));
    return this.values.write(manager, issueId, rows);
  }

  /** Selects the custom fields of issues and their values. */
  select(issues: readonly IssueRow[]): ShownFields {
    const shown = issues.filter(({ hasCustomFields }) => hasCustomFields);
    if (shown.length === 0) return {};
    const projectIds = [...new Set(shown.map(({ projectId }) => projectId))];
    return {
      fields: selectFields(projectIds),
      issueTypes: selectFieldTypes(projectIds),
      ...selectValues(shown.map(({ id }) => id)),
    };
  }

  /** Returns the custom field values of issues for responses, by issue id, from the rows that `select` finds. */
  show(
    issues: readonly IssueRow[],
    { fields = [], issueTypes = [], values = [], items = [] }: RowsOf<ShownFields>,
  ): ReadonlyMap<number, CustomFieldValueDto[]> {
    const typesOf = groupBy(issueTypes, ({ customFieldId }) => customFieldId);
    const whole = fields.map((field) => ({
      ...field,
      issueTypeIds: (typesOf.get(field.id) ?? []).map(({ issueTypeId }) => issueTypeId),
    }));
    const ofProject = groupBy(whole, ({ projectId }) => projectId);
    const valuesOf = toCustomValues(values, items);
    return new Map(
      issues.map(({ id, projectId, issueTypeId }) => [
        id,
        (ofProject.get(projectId) ?? [])
          .filter((field) => isApplicable(field, issueTypeId))
          .map((field) => toCustomFieldValueDto(field, valuesOf.get(id)?.get(field.id))),
      ]),
    );
  }
}

/** Returns the ids of the custom fields that a request names. */
const idsOf = (given: NamedValues): Set<number> =>
  new Set([...given.keys()].map((name) => parseCustomFieldName(name, VALUE_NAME).id));

/** Parses the values of a request, by custom field. */
function parse(
  fields: LockedFields,
  given: NamedValues,
  issueTypeId: number,
): { values: Map<number, Partial<CustomValue>>; problems: Problem[] } {
  const values = new Map<number, Partial<CustomValue>>();
  const problems: Problem[] = [];
  for (const [name, value] of given) {
    const { id, part } = parseCustomFieldName(name, VALUE_NAME);
    const field = fields.get(id);
    if (!field) {
      const valid = validIds([...fields.keys()]);
      problems.push(problem(name, `There is no custom field ${id} in the project.${valid}`));
    } else if (!isApplicable(field, issueTypeId)) {
      problems.push(problem(name, `Issues of this type do not have the custom field ${id}.`));
    } else {
      const parsed = part === 'otherValue' ? parseOtherValue(field, value) : parseCustomValue(field, value);
      if ('problem' in parsed) problems.push(problem(name, `${name} ${parsed.problem}.`));
      else values.set(id, { ...values.get(id), ...parsed.value });
    }
  }
  return { values, problems };
}

/** @throws InvalidRequestError naming each required field that has no value */
function requireValues(changes: readonly CustomFieldChange[]): void {
  const problems = changes
    .filter(({ field, after }) => field.required && isNoValue(after))
    .map(({ field }) => {
      const name = customFieldName(field.id);
      return problem(name, `${name} is required.`);
    });
  if (problems.length > 0) throw new InvalidRequestError(problems);
}

/** @throws InvalidRequestError naming a given field when the values of the request alone are more items than an issue can have */
function requireFewItems(given: NamedValues): void {
  // A single value may be a text.
  const lists = [...given.values()].filter((value) => Array.isArray(value) && value.length > 1) as string[][];
  if (sum(lists.map((value) => new Set(value).size)) > MAX_ISSUE_ITEMS) throw tooManyItems(idsOf(given));
}

const tooManyItems = ([first = 0]: Iterable<number>): InvalidRequestError =>
  InvalidRequestError.of(
    customFieldName(first),
    `The custom fields of an issue can have at most ${MAX_ISSUE_ITEMS} items.`,
  );

/** @throws InvalidRequestError naming a given field when the custom fields of the issue are too large in total */
function requireRoom(changes: readonly CustomFieldChange[], named: ReadonlySet<number>): void {
  const [first] = named;
  if (first === undefined) return;
  const texts = sum(changes.map(({ after }) => (after.text?.length ?? 0) + (after.other?.length ?? 0)));
  const items = sum(changes.map(({ after }) => after.itemIds.length));
  if (texts > MAX_ISSUE_TEXT) {
    const most = grouped(MAX_ISSUE_TEXT);
    throw InvalidRequestError.of(
      customFieldName(first),
      `The custom fields of an issue can have at most ${most} characters.`,
    );
  }
  if (items > MAX_ISSUE_ITEMS) throw tooManyItems(named);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const problem = (name: string, message: string): Problem => ({ message, moreInfo: name });
