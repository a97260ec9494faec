import { MAX_DECIMALS, MAX_NUMBER } from '../../custom-fields/custom-field-limits';
import { type CustomFieldSettings } from '../../custom-fields/custom-field-settings';
import { CustomFieldType, isListType, isTextType } from '../../custom-fields/custom-field-type';
import { type SourceCustomValue } from '../model';
import { type Context, type KeyedProject } from './context';
import { toDay } from './values';
import { type WireCustomField, type WireCustomValue } from './wire';

/** A custom field of a project. */
export interface KnownField {
  /** In the archive. */
  id: number;
  typeId: CustomFieldType;
  name: string;
  /** Redmine's format, such as `user`. */
  format: string;
  /** The items of a list, by Redmine's values. */
  items: Map<string, { id: number; name: string }>;
}

/** What values refer to by id. */
export interface ValueNames {
  user: (id: number) => string | undefined;
  version: (id: number) => string | undefined;
}

const YES_AND_NO = [
  { value: '1', label: 'Yes' },
  { value: '0', label: 'No' },
];
const DONE_RATIO = 'Done ratio';
const MAX_PERCENT = 100;

/** Makes the custom fields of a project: in Redmine, several projects share one. */
export class ProjectFields {
  /** Undefined for a field that is not imported. */
  private readonly known = new Map<number, KnownField | undefined>();
  private doneRatio?: KnownField;
  private count = 0;

  /** @param issueTypes ids by those of trackers */
  constructor(
    private readonly context: Context,
    private readonly project: KeyedProject,
    private readonly issueTypes: ReadonlyMap<number, number>,
    private readonly names: ValueNames,
  ) {
    for (const { id, name } of project.issue_custom_fields) {
      const trackers = context.catalog.field(id)?.trackers ?? [];
      // A field may be that of trackers which the project does not have.
      if (trackers.length === 0 || trackers.some((tracker) => issueTypes.has(tracker.id)))
        this.find(id, name);
    }
  }

  /** Returns a field by its id in Redmine, and adds it if it is not there; undefined if it is not imported. */
  find(id: number, name?: string): KnownField | undefined {
    const { catalog } = this.context;
    if (this.known.has(id)) return this.known.get(id);
    // Without a definition, values tell the name, and changes do not.
    if (!catalog.field(id) && name === undefined) return undefined;
    const field = this.add(id, name);
    this.known.set(id, field);
    return field;
  }

  /** Returns the value of an issue; undefined for none. */
  valueOf({ id, name, value: values }: WireCustomValue): SourceCustomValue | undefined {
    const given = values.filter((value) => value !== '');
    const field = this.find(id, name);
    if (!field || given.length === 0) return undefined;
    const none = { customFieldId: field.id, text: null, number: null, date: null, other: null, itemIds: [] };
    if (isListType(field.typeId)) {
      const itemIds = given.map((value) => this.item(field, value).id);
      const chosen =
        field.typeId === CustomFieldType.MultipleList ? [...new Set(itemIds)] : itemIds.slice(0, 1);
      return { ...none, itemIds: chosen };
    }
    const text = given.map((value) => this.display(field, value)).join(', ');
    if (isTextType(field.typeId)) return { ...none, text };
    const date = field.typeId === CustomFieldType.Date ? toDay(text) : null;
    if (date !== null) return { ...none, date };
    const number = field.typeId === CustomFieldType.Numeric ? toNumber(text) : undefined;
    if (number !== undefined) return { ...none, number };
    this.context.losses.note(
      'Values of custom fields that are not of their types',
      `${name}: ${text}`.slice(0, 100),
    );
    return undefined;
  }

  /** Returns a value for people. */
  display(field: KnownField, value: string): string {
    return field.items.get(value)?.name ?? this.nameOf(field.format, value) ?? value;
  }

  /** Returns the field that holds how much of an issue is done, which the service does not have. */
  doneField(): KnownField {
    if (this.doneRatio) return this.doneRatio;
    const settings = { min: 0, max: MAX_PERCENT, initialValue: null, unit: '%' };
    return (this.doneRatio = this.create(
      { name: DONE_RATIO, description: '', is_required: false, trackers: [] },
      { typeId: CustomFieldType.Numeric, format: 'int', settings, values: [] },
    ));
  }

  /** Returns how much of an issue is done. */
  doneValue(percent: number): SourceCustomValue {
    const number = Math.min(MAX_PERCENT, Math.max(0, percent));
    return { customFieldId: this.doneField().id, text: null, number, date: null, other: null, itemIds: [] };
  }

  private add(id: number, name?: string): KnownField | undefined {
    const { catalog, losses } = this.context;
    const definition = catalog.field(id);
    if (definition?.visible === false) {
      catalog.noteOnce(losses, 'Custom fields that only some roles may see', definition.name);
      return undefined;
    }
    if (definition?.field_format === 'attachment') {
      catalog.noteOnce(losses, 'Custom fields that are files', definition.name);
      return undefined;
    }
    if (!definition && catalog.knowsFields) {
      catalog.noteOnce(losses, 'Custom fields that are not defined', name ?? '');
      return undefined;
    }
    const known = definition ?? { name: name ?? '', description: '', is_required: false, trackers: [] };
    const format = definition?.field_format ?? 'text';
    const typeId = typeOf(format, definition?.multiple ?? false);
    const values = format === 'bool' ? YES_AND_NO : (definition?.possible_values ?? []);
    return this.create(known, { typeId, format, settings: settingsOf(typeId), values });
  }

  private create(
    { name, description, is_required: required, trackers }: Definition,
    {
      typeId,
      format,
      settings,
      values,
    }: {
      typeId: CustomFieldType;
      format: string;
      settings: CustomFieldSettings;
      values: readonly { value: string; label: string }[];
    },
  ): KnownField {
    const { builder } = this.context;
    const id = builder.newId('customField');
    const items = new Map<string, { id: number; name: string }>();
    for (const { value, label } of isListType(typeId) ? values : []) {
      const itemName = label || value;
      if (itemName !== '')
        items.set(value || label, { id: builder.newId('customFieldItem'), name: itemName });
    }
    const issueTypeIds = trackers.flatMap((tracker) => this.issueTypes.get(tracker.id) ?? []);
    builder.customField({
      ...{ id, typeId, name, description, required, settings, version: 1 },
      projectId: this.project.id,
      displayOrder: this.count++,
      // A field of all types is one of those that are added later, too.
      issueTypeIds: issueTypeIds.length === this.issueTypes.size ? [] : issueTypeIds,
      items: [...items.values()].map((item, displayOrder) => ({ ...item, displayOrder })),
    });
    return { id, typeId, name, format, items };
  }

  /** Returns the item of a value, which is added if it is not there. */
  private item(field: KnownField, value: string): { id: number; name: string } {
    const found = field.items.get(value);
    if (found) return found;
    const { builder } = this.context;
    const item = { id: builder.newId('customFieldItem'), name: this.nameOf(field.format, value) ?? value };
    builder.customFieldItem(field.id, { ...item, displayOrder: field.items.size });
    field.items.set(value, item);
    return item;
  }

  /** Returns the name of what a value refers to. */
  private nameOf(format: string, value: string): string | undefined {
    if (!/^\d{1,15}$/.test(value)) return undefined;
    if (format === 'user') return this.names.user(Number(value));
    return format === 'version' ? this.names.version(Number(value)) : undefined;
  }
}

type Definition = Pick<WireCustomField, 'name' | 'description' | 'is_required' | 'trackers'>;

const TYPES: ReadonlyMap<string, CustomFieldType> = new Map([
  ['string', CustomFieldType.Text],
  ['link', CustomFieldType.Text],
  ['int', CustomFieldType.Numeric],
  ['float', CustomFieldType.Numeric],
  ['progressbar', CustomFieldType.Numeric],
  ['date', CustomFieldType.Date],
  ['bool', CustomFieldType.SingleList],
]);
const LISTS: ReadonlySet<string> = new Set(['list', 'enumeration', 'user', 'version']);

/** Returns the type of the service for a format of Redmine; those of plugins become texts. */
export function typeOf(format: string, isMultiple: boolean): CustomFieldType {
  if (LISTS.has(format)) return isMultiple ? CustomFieldType.MultipleList : CustomFieldType.SingleList;
  return TYPES.get(format) ?? CustomFieldType.TextArea;
}

function settingsOf(typeId: CustomFieldType): CustomFieldSettings {
  if (typeId === CustomFieldType.Numeric) return { min: null, max: null, initialValue: null, unit: null };
  if (typeId === CustomFieldType.Date) return { min: null, max: null, initialDate: null };
  return isListType(typeId) ? { allowInput: false, allowAddItem: false } : {};
}

/** Returns a number that the service can store; undefined for another text. */
export function toNumber(text: string): number | undefined {
  if (!/^[+-]?(?:\d{1,15}(?:\.\d{0,20})?|\.\d{1,20})$/.test(text.trim())) return undefined;
  const number = Number(Number(text).toFixed(MAX_DECIMALS));
  return Math.abs(number) <= MAX_NUMBER ? number : undefined;
}
