/** Types of custom fields, by their numbers on the wire. */
export enum CustomFieldType {
  Text = 1,
  TextArea = 2,
  Numeric = 3,
  Date = 4,
  SingleList = 5,
  MultipleList = 6,
  CheckBox = 7,
  Radio = 8,
}

const { Text, TextArea, Numeric, Date: Day, SingleList, MultipleList, CheckBox, Radio } = CustomFieldType;

export const CUSTOM_FIELD_TYPES: readonly CustomFieldType[] = [
  Text,
  TextArea,
  Numeric,
  Day,
  SingleList,
  MultipleList,
  CheckBox,
  Radio,
];

/** Whether a value is a text. */
export const isTextType = (type: CustomFieldType): boolean => type === Text || type === TextArea;

/** Whether a value consists of items. */
export const isListType = (type: CustomFieldType): boolean => type >= SingleList;

/** Whether a value can be several items. */
export const allowsMany = (type: CustomFieldType): boolean => type === MultipleList || type === CheckBox;

/** Whether a value can have a text next to its items, if the field allows it. */
export const allowsOtherValue = (type: CustomFieldType): boolean => type === CheckBox || type === Radio;
