import { Injectable } from '@nestjs/common';
import {
  customFieldName,
  FILTER_NAME,
  parseCustomFieldName,
  SORT_NAME,
} from '../../custom-fields/custom-field-names';
import { CustomFieldReaderService } from '../../custom-fields/custom-field-reader.service';
import { CustomFieldType, isListType, isTextType } from '../../custom-fields/custom-field-type';
import { type WholeCustomField } from '../../custom-fields/custom-field.mapper';
import {
  DATE_RULE,
  isDay,
  ITEMS_RULE,
  NUMBER_RULE,
  readIds,
  readNumber,
  single,
} from '../../custom-fields/custom-value';
import { InvalidRequestError } from '../../errors/domain-errors';
import { type NamedValue, type NamedValues } from '../../http/request/named-values';
import { isCleanText, isNoLongerThan } from '../../http/request/text';
import { type CustomFieldFilter, type CustomFieldCriteria } from '../data/issue-custom-field-filters';
import { type ProjectScope } from '../../projects/data/project-scope';
import { type ListIssuesQuery } from '../dto/issue-queries.dto';
import { wordsOf } from '../search/search-words';

const MAX_KEYWORD = 255;
/** Limited because each filter adds to the statement, whose size the engines limit. */
const MAX_FILTERS = 50;

/** Parses the custom field criteria of an issue search. */
@Injectable()
export class IssueCustomFieldSearchService {
  constructor(private readonly fields: CustomFieldReaderService) {}

  /**
   * Returns the filters and the sort order; sends no statement when there are none.
   * @throws InvalidRequestError naming each parameter whose custom field is in none of the searched projects or whose value does not fit
   *   the field
   */
  async resolve(
    given: NamedValues,
    sort: ListIssuesQuery['sort'],
    scope: ProjectScope,
  ): Promise<CustomFieldCriteria> {
    const sortId = SORT_NAME.test(sort) ? parseCustomFieldName(sort, SORT_NAME).id : undefined;
    const named = [...given].map(([name, value]) => ({
      name,
      value,
      ...parseCustomFieldName(name, FILTER_NAME),
    }));
    if (named.length > MAX_FILTERS) {
      const message = `At most ${MAX_FILTERS} parameters can refer to custom fields.`;
      throw InvalidRequestError.of(named[MAX_FILTERS]?.name ?? '', message);
    }
    const ids = new Set([...named.map(({ id }) => id), ...(sortId === undefined ? [] : [sortId])]);
    if (ids.size === 0) return { filters: [] };
    const found = await this.fields.findByIds([...ids]);
    const get = (id: number, parameter: string): WholeCustomField => {
      const field = found.get(id);
      if (!field || !isInScope(scope, field.projectId)) {
        throw InvalidRequestError.of(parameter, `There is no custom field ${id} in the projects searched.`);
      }
      return field;
    };
    const filters = named.flatMap(({ name, value, id, part }) => {
      const field = get(id, name);
      return part === 'value' ? byValue(field, name, value) : byBound(field, name, value, part === 'min');
    });
    return { filters, sort: sortId === undefined ? undefined : get(sortId, 'sort') };
  }
}

const isInScope = (scope: ProjectScope, projectId: number): boolean =>
  'only' in scope ? scope.only.includes(projectId) : !scope.except.includes(projectId);

/** Filters by words or items; an empty value is no filter. */
function byValue(field: WholeCustomField, name: string, value: NamedValue): CustomFieldFilter[] {
  if (isListType(field.typeId)) {
    const itemIds = readIds(value);
    if (!itemIds) throw InvalidRequestError.of(name, `${name} ${ITEMS_RULE}.`);
    return itemIds.length === 0 ? [] : [{ field, itemIds }];
  }
  if (!isTextType(field.typeId)) {
    const bounds = (['min', 'max'] as const).map((part) => customFieldName(field.id, part)).join(' and ');
    throw InvalidRequestError.of(name, `The custom field ${field.id} can only be searched by ${bounds}.`);
  }
  const text = single(value);
  if (text === undefined || !isNoLongerThan(text, MAX_KEYWORD) || !isCleanText(text)) {
    const rule = `must be one well-formed text of at most ${MAX_KEYWORD} characters`;
    throw InvalidRequestError.of(name, `${name} ${rule}.`);
  }
  const words = wordsOf(name, text);
  return words.length === 0 ? [] : [{ field, words }];
}

function byBound(
  field: WholeCustomField,
  name: string,
  value: NamedValue,
  isLowest: boolean,
): CustomFieldFilter[] {
  const isNumber = field.typeId === CustomFieldType.Numeric;
  if (!isNumber && field.typeId !== CustomFieldType.Date) {
    throw InvalidRequestError.of(name, `The custom field ${field.id} is neither a number nor a date.`);
  }
  const text = single(value);
  if (text === '') return [];
  const bound = text === undefined ? undefined : isNumber ? readNumber(text) : isDay(text) ? text : undefined;
  if (bound === undefined) {
    throw InvalidRequestError.of(name, `${name} ${isNumber ? NUMBER_RULE : DATE_RULE}.`);
  }
  return [isLowest ? { field, min: bound } : { field, max: bound }];
}
