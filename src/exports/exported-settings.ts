import { isListType } from '../custom-fields/custom-field-type';
import { type ExportedRecords } from './exported-records';
import {
  type CustomField,
  type CustomFieldItem,
  type GitRepository,
  type IssueCustomField,
} from './record-shapes';

interface Setting {
  id: number;
  name: string;
}

/** What the items of a project refer to by ids. Limits on their numbers keep it small. */
export class ExportedSettings {
  readonly customFields: readonly CustomField[];
  readonly repositories: readonly GitRepository[];
  private readonly names = new Map<string, ReadonlyMap<number, string>>();
  private readonly items = new Map<number, CustomFieldItem>();

  constructor(
    readonly records: ExportedRecords,
    readonly projectId: number,
  ) {
    for (const kind of ['issueType', 'issueStatus', 'category', 'version', 'wikiTag', 'documentTag']) {
      const settings = [...records.under<Setting>(kind, projectId)];
      this.names.set(kind, new Map(settings.map(({ id, name }) => [id, name])));
    }
    this.customFields = [...records.under<CustomField>('customField', projectId)];
    for (const { id } of this.customFields) {
      for (const item of records.under<CustomFieldItem>('customFieldItem', id)) this.items.set(item.id, item);
    }
    this.repositories = [...records.under<GitRepository>('gitRepository', projectId)];
  }

  /** Returns the name of a setting; `''` if it is unknown. */
  nameOf(kind: string, id: number): string {
    return this.names.get(kind)?.get(id) ?? '';
  }

  /** Returns the names of the settings that link records of a kind give an item, such as those of `issueCategory`. */
  namesOf(linkKind: string, owner: number, field: string, kind: string): string[] {
    const links = this.records.under<Record<string, number>>(linkKind, owner);
    return Array.from(links, (link) => this.nameOf(kind, link[field] as number));
  }

  /** Returns the values of the custom fields of an issue; those without a value are not among them. */
  valuesOf(issueId: number): CustomValue[] {
    const rows = new Map(
      Array.from(this.records.under<IssueCustomField>('issueCustomField', issueId), (row) => [
        row.customFieldId,
        row,
      ]),
    );
    const chosen = Array.from(
      this.records.under<{ itemId: number }>('issueCustomFieldItem', issueId),
      ({ itemId }) => this.items.get(itemId),
    );
    return this.customFields.flatMap(({ id, name, typeId }) => {
      const row = rows.get(id);
      const items = chosen.flatMap((item) => (item?.customFieldId === id ? [item.name] : []));
      const value = isListType(typeId) ? items : valueOf(row);
      const otherValue = row?.otherValue ?? null;
      const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
      return isEmpty && otherValue === null ? [] : [{ id, name, value, otherValue }];
    });
  }
}

/** A value of a custom field. */
export interface CustomValue {
  id: number;
  name: string;
  /** Names of items for a list. */
  value: string | number | readonly string[] | null;
  otherValue: string | null;
}

function valueOf(row: IssueCustomField | undefined): string | number | null {
  if (!row) return null;
  if (row.numberValue !== null) return row.numberValue / TEN_THOUSANDTHS;
  return row.textValue ?? row.dateValue;
}

const TEN_THOUSANDTHS = 10_000;
