import { MAX_LINE } from '../../custom-fields/custom-field-limits';
import { CustomFieldType } from '../../custom-fields/custom-field-type';
import { type CustomType } from './fields';
import { type CustomColumns } from './layout';
import { type Cell, quoted, type Row } from './row';

/** More items than any installation allows. */
const MAX_ITEMS = 200;
/** Between the values of a text that is no list. */
export const SEPARATOR = ', ';

const TYPES: Readonly<Partial<Record<CustomType, CustomFieldType>>> = {
  textArea: CustomFieldType.TextArea,
  number: CustomFieldType.Numeric,
  date: CustomFieldType.Date,
  singleList: CustomFieldType.SingleList,
  multipleList: CustomFieldType.MultipleList,
  checkBox: CustomFieldType.CheckBox,
  radio: CustomFieldType.Radio,
};
const LISTS: ReadonlySet<CustomType> = new Set(['singleList', 'multipleList', 'checkBox', 'radio']);
const SINGLE: ReadonlySet<CustomType> = new Set(['number', 'date', 'singleList', 'radio']);

/** What the values of a custom field in a project are, from which its type follows. */
export class FieldFacts {
  private longest = 0;
  private hasLines = false;
  private hasSeveral = false;
  /** Undefined once they are no items of a list. */
  private items: Set<string> | undefined = new Set();

  constructor(readonly columns: CustomColumns) {}

  /** Where the first column of the field is. */
  get order(): number {
    return this.columns.columns[0]?.index ?? 0;
  }

  /** Adds the values of an issue. @throws SourceError that names the place, if the type of the map does not allow them */
  add(row: Row, cells: readonly Cell[]): void {
    const { type } = this.columns;
    const [, second] = cells;
    if (second && SINGLE.has(type)) throw row.error(second.column, `${type} has one value`);
    this.hasSeveral ||= second !== undefined;
    this.longest = Math.max(this.longest, cells.map(({ text }) => text).join(SEPARATOR).length);
    for (const { text, column } of cells) {
      this.hasLines ||= text.includes('\n');
      const isItem = text.length <= MAX_LINE && !text.includes('\n');
      if (isItem) this.items?.add(text);
      if (isItem && (this.items?.size ?? 0) <= MAX_ITEMS) continue;
      if (LISTS.has(type)) {
        throw row.error(
          column,
          `${quoted(text)} does not fit into a list of at most ${MAX_ITEMS} names: use the type text`,
        );
      }
      this.items = undefined;
    }
  }

  /** Returns the type of the field. @param maxItems that a list of this installation may have */
  typeId(maxItems: number): CustomFieldType {
    const { type } = this.columns;
    const chosen = TYPES[type];
    if (chosen !== undefined) return chosen;
    if (type === 'auto' && this.hasSeveral && this.items && this.items.size <= maxItems)
      return CustomFieldType.MultipleList;
    return this.longest > MAX_LINE || this.hasLines ? CustomFieldType.TextArea : CustomFieldType.Text;
  }
}
