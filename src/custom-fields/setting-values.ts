import { InvalidRequestError, type Problem } from '../errors/domain-errors';
import {
  type CustomFieldSettings,
  type DateSettings,
  InitialDateKind,
  type ListSettings,
  type NumericSettings,
} from './custom-field-settings';
import { CustomFieldType, isListType } from './custom-field-type';
import { type AddCustomFieldDto } from './dto/add-custom-field.dto';

/** The settings of all types in a request. */
export type GivenSettings = Pick<AddCustomFieldDto, SettingName>;

type SettingName = keyof typeof FITS;

const isNumeric = (type: CustomFieldType): boolean => type === CustomFieldType.Numeric;
const isDate = (type: CustomFieldType): boolean => type === CustomFieldType.Date;
const isBounded = (type: CustomFieldType): boolean => isNumeric(type) || isDate(type);

/** Whether a type has a setting, by setting. */
const FITS = {
  min: isBounded,
  max: isBounded,
  initialValue: isNumeric,
  unit: isNumeric,
  initialValueType: isDate,
  initialDate: isDate,
  initialShift: isDate,
  items: isListType,
  allowInput: isListType,
  allowAddItem: isListType,
};

const NO_NUMERIC: NumericSettings = { min: null, max: null, initialValue: null, unit: null };
const NO_DATE: DateSettings = { min: null, max: null, initialDate: null };
const NO_LIST: ListSettings = { allowInput: false, allowAddItem: false };

/**
 * Returns the settings of a custom field after a request; omitted settings stay unchanged.
 * @param before the current settings of the field
 * @throws InvalidRequestError naming each setting that the type does not have, or that contradicts another
 */
export function settingsAfter(
  type: CustomFieldType,
  given: GivenSettings,
  before: CustomFieldSettings = {},
): CustomFieldSettings {
  const problems = (Object.keys(FITS) as SettingName[])
    .filter((name) => given[name] !== undefined && given[name] !== null && !FITS[name](type))
    .map((name) => problem(name, 'is not a setting of this type'));
  if (problems.length > 0) throw new InvalidRequestError(problems);
  if (isNumeric(type))
    return throwOnProblems(numericAfter(given, { ...NO_NUMERIC, ...(before as NumericSettings) }));
  if (isDate(type)) return throwOnProblems(dateAfter(given, { ...NO_DATE, ...(before as DateSettings) }));
  if (!isListType(type)) return {};
  const list = { ...NO_LIST, ...(before as ListSettings) };
  return {
    allowInput: given.allowInput ?? list.allowInput,
    allowAddItem: given.allowAddItem ?? list.allowAddItem,
  };
}

interface Checked<Settings> {
  settings: Settings;
  problems: Problem[];
}

function throwOnProblems<Settings>({ settings, problems }: Checked<Settings>): Settings {
  if (problems.length > 0) throw new InvalidRequestError(problems);
  return settings;
}

function numericAfter(given: GivenSettings, before: NumericSettings): Checked<NumericSettings> {
  const settings: NumericSettings = {
    min: valueAfter(given.min, before.min) as number | null,
    max: valueAfter(given.max, before.max) as number | null,
    initialValue: valueAfter(given.initialValue, before.initialValue),
    unit: valueAfter(given.unit === '' ? null : given.unit, before.unit),
  };
  const { min, max, initialValue } = settings;
  const wrong = (['min', 'max'] as const).filter((name) => typeof given[name] === 'string');
  if (wrong.length > 0) return { settings, problems: wrong.map((name) => problem(name, 'must be a number')) };
  return {
    settings,
    problems: [...orderProblems(min, max), ...rangeProblems('initialValue', initialValue, min, max)],
  };
}

function dateAfter(given: GivenSettings, before: DateSettings): Checked<DateSettings> {
  const wrong = (['min', 'max'] as const).filter((name) => typeof given[name] === 'number');
  const min = valueAfter(given.min, before.min) as string | null;
  const max = valueAfter(given.max, before.max) as string | null;
  const id = valueAfter(given.initialValueType, before.initialDate?.id ?? null);
  const date = valueAfter(given.initialDate, before.initialDate?.date ?? null);
  const shift = valueAfter(given.initialShift, before.initialDate?.shift ?? null);
  const settings: DateSettings = {
    min,
    max,
    initialDate: id === null ? null : initialDateOf(id, date, shift),
  };
  if (wrong.length > 0) {
    return { settings, problems: wrong.map((name) => problem(name, 'must be a date such as 2026-01-31')) };
  }
  const isFixed = id === InitialDateKind.Fixed;
  const isShifted = id === InitialDateKind.TodayShifted;
  const missing: Problem[] = [
    ...(isFixed && date === null ? [problem('initialDate', 'is needed with the initialValueType 3')] : []),
    ...(isShifted && shift === null
      ? [problem('initialShift', 'is needed with the initialValueType 2')]
      : []),
    ...(!isFixed && given.initialDate ? [problem('initialDate', 'needs the initialValueType 3')] : []),
    ...(!isShifted && given.initialShift != null
      ? [problem('initialShift', 'needs the initialValueType 2')]
      : []),
  ];
  return {
    settings,
    problems: [
      ...orderProblems(min, max),
      ...missing,
      ...(isFixed ? rangeProblems('initialDate', date, min, max) : []),
    ],
  };
}

const initialDateOf = (
  id: InitialDateKind,
  date: string | null,
  shift: number | null,
): DateSettings['initialDate'] => ({
  id,
  date: id === InitialDateKind.Fixed ? date : null,
  shift: id === InitialDateKind.TodayShifted ? shift : null,
});

/** Returns the new value of a setting: null clears it, undefined leaves it unchanged. */
const valueAfter = <Value>(value: Value | null | undefined, before: Value | null): Value | null =>
  value === undefined ? before : value;

const problem = (name: string, what: string): Problem => ({ message: `${name} ${what}.`, moreInfo: name });

const orderProblems = <Value extends number | string>(min: Value | null, max: Value | null): Problem[] =>
  min !== null && max !== null && min > max ? [problem('max', 'must not be less than min')] : [];

const rangeProblems = <Value extends number | string>(
  name: string,
  value: Value | null,
  min: Value | null,
  max: Value | null,
): Problem[] =>
  value !== null && ((min !== null && value < min) || (max !== null && value > max))
    ? [problem(name, 'must be between min and max')]
    : [];
