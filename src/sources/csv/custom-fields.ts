import { MAX_DECIMALS, MAX_LINE, MAX_TEXT } from '../../custom-fields/custom-field-limits';
import { allowsMany, CustomFieldType, isListType } from '../../custom-fields/custom-field-type';
import { type Environment } from '../../config/environment';
import { foldName } from '../../project-settings/fold-name';
import { grouped } from '../../quantities';
import { type ArchiveBuilder } from '../archive-builder';
import { type SourceCustomValue } from '../model';
import { type FieldFacts, SEPARATOR } from './field-facts';
import { type Cell, type Row } from './row';
import { type SurveyedProject } from './survey';
import { firstCharacters } from './texts';
import { type ValueReader } from './values';

interface Field {
  id: number;
  facts: FieldFacts;
  typeId: CustomFieldType;
  /** The ids of its items by their folded names. */
  items: Map<string, number>;
}

/** The custom fields of a project, and the values that rows give them. */
export class CustomFields {
  private readonly fields = new Map<string, Field>();

  /** Adds the fields that have values, as many as a project of this installation can have. */
  constructor(
    private readonly builder: ArchiveBuilder,
    { id: projectId, key, fields }: SurveyedProject,
    { MAX_CUSTOM_FIELDS, MAX_CUSTOM_FIELD_ITEMS }: Environment,
  ) {
    const all = [...fields].sort(([, one], [, other]) => one.order - other.order);
    for (const [name] of all.slice(MAX_CUSTOM_FIELDS)) {
      builder.losses.note(
        `Custom fields beyond the ${MAX_CUSTOM_FIELDS} that a project can have`,
        `${key}: ${name}`,
      );
    }
    for (const [displayOrder, [name, facts]] of all.slice(0, MAX_CUSTOM_FIELDS).entries()) {
      const id = builder.newId('customField');
      const typeId = facts.typeId(MAX_CUSTOM_FIELD_ITEMS);
      this.fields.set(name, { id, facts, typeId, items: new Map() });
      builder.customField({
        ...{ id, projectId, typeId, name, displayOrder, items: [] },
        description: '',
        required: false,
        version: 1,
        settings: settingsOf(typeId),
        issueTypeIds: [],
      });
    }
  }

  /** Returns the values of a row. @throws SourceError that names the place of one that its field cannot have */
  valuesOf(row: Row, read: ValueReader): SourceCustomValue[] {
    return row.layout.customs.flatMap((custom) => {
      const field = this.fields.get(custom.name);
      const cells = field ? row.custom(custom) : [];
      return field && cells.length > 0 ? [this.valueOf(field, row, cells, read)] : [];
    });
  }

  private valueOf(field: Field, row: Row, cells: readonly Cell[], read: ValueReader): SourceCustomValue {
    const { id: customFieldId, typeId } = field;
    const none = { customFieldId, text: null, number: null, date: null, other: null, itemIds: [] };
    const [first] = cells as [Cell];
    if (isListType(typeId)) {
      const chosen = allowsMany(typeId) ? cells : [first];
      return { ...none, itemIds: [...new Set(chosen.map(({ text }) => this.itemOf(field, text)))] };
    }
    if (typeId === CustomFieldType.Date) return { ...none, date: read.day(row, first) };
    if (typeId === CustomFieldType.Numeric)
      return { ...none, number: this.rounded(read.number(row, first), row) };
    const text = cells.map((cell) => cell.text).join(SEPARATOR);
    const most = typeId === CustomFieldType.Text ? MAX_LINE : MAX_TEXT;
    const shown = firstCharacters(text, most);
    if (shown !== text)
      this.builder.losses.note(`Texts of custom fields beyond ${grouped(most)} characters`, row.place);
    return { ...none, text: shown };
  }

  private itemOf({ id, items }: Field, name: string): number {
    const key = foldName(name);
    const known = items.get(key);
    if (known !== undefined) return known;
    const itemId = this.builder.newId('customFieldItem');
    this.builder.customFieldItem(id, { id: itemId, name, displayOrder: items.size });
    items.set(key, itemId);
    return itemId;
  }

  private rounded(number: number, row: Row): number {
    const stored = Number(number.toFixed(MAX_DECIMALS));
    if (stored !== number) this.builder.losses.note(`Decimals beyond ${MAX_DECIMALS}`, row.place);
    // Adding 0 turns -0 into 0.
    return stored + 0;
  }
}

function settingsOf(typeId: CustomFieldType): object {
  if (typeId === CustomFieldType.Numeric) return { min: null, max: null, initialValue: null, unit: null };
  if (typeId === CustomFieldType.Date) return { min: null, max: null, initialDate: null };
  return isListType(typeId) ? { allowInput: false, allowAddItem: false } : {};
}
