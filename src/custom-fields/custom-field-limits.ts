/** The largest number in a custom field, and the smallest below zero. */
export const MAX_NUMBER = 99_999_999_999;
/** Most decimals of a number. */
export const MAX_DECIMALS = 4;
/** Longest text of a field of one line, of one of several, and besides items, in characters. */
export const MAX_LINE = 255;
export const MAX_TEXT = 10_000;
export const MAX_OTHER_VALUE = 255;
/** What all custom fields of one issue can hold together: characters of texts, and items. */
export const MAX_ISSUE_TEXT = 100_000;
export const MAX_ISSUE_ITEMS = 500;
