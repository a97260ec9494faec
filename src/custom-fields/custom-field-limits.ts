/** Maximum absolute value of a number in a custom field. */
export const MAX_NUMBER = 99_999_999_999;
/** Maximum number of decimals. */
export const MAX_DECIMALS = 4;
/** Maximum lengths of single-line texts, multi-line texts and texts next to items, in characters. */
export const MAX_LINE = 255;
export const MAX_TEXT = 10_000;
export const MAX_OTHER_VALUE = 255;
/** Maximum total of all custom fields of one issue: characters of texts, and items. */
export const MAX_ISSUE_TEXT = 100_000;
export const MAX_ISSUE_ITEMS = 500;
