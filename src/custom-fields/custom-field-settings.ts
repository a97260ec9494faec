import { isFlag, isInteger, isNumber, isObject, isText, nullable, optional, shape } from '../json-shape';
import { CustomFieldType, isListType } from './custom-field-type';

/** The settings of a numeric field; null for none. */
export interface NumericSettings {
  min: number | null;
  max: number | null;
  /** The default that clients offer for a new issue. */
  initialValue: number | null;
  unit: string | null;
}

/** How clients compute the default date of a new issue. */
export enum InitialDateKind {
  Today = 1,
  TodayShifted = 2,
  Fixed = 3,
}

/** The settings of a date field; days are `yyyy-MM-dd`. */
export interface DateSettings {
  min: string | null;
  max: string | null;
  initialDate: { id: InitialDateKind; date: string | null; shift: number | null } | null;
}

/** The settings of lists, check boxes and radio buttons. */
export interface ListSettings {
  /** Whether an issue can have a text next to the items. Only check boxes and radio buttons support it. */
  allowInput: boolean;
  /** Whether all users who can change issues can add items. */
  allowAddItem: boolean;
}

/** The settings specific to the type of a custom field; texts have none. */
export type CustomFieldSettings = Partial<NumericSettings> | Partial<DateSettings> | Partial<ListSettings>;

const isNoneOrNumber = optional(nullable(isNumber));
const isNoneOrText = optional(nullable(isText));
const isNumeric = shape({
  ...{ min: isNoneOrNumber, max: isNoneOrNumber, initialValue: isNoneOrNumber },
  unit: isNoneOrText,
});
const isDate = shape({
  ...{ min: isNoneOrText, max: isNoneOrText },
  initialDate: optional(
    nullable(shape({ id: isInteger, date: nullable(isText), shift: nullable(isInteger) })),
  ),
});
const isList = shape({ allowInput: optional(isFlag), allowAddItem: optional(isFlag) });

/** Whether a value is the settings of a custom field of a type. */
export function areSettings(value: unknown, { typeId }: { typeId?: unknown }): boolean {
  if (typeId === CustomFieldType.Numeric) return isNumeric(value);
  if (typeId === CustomFieldType.Date) return isDate(value);
  return isListType(typeId as CustomFieldType) ? isList(value) : isObject(value);
}
