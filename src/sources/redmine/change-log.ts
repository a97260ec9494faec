import { attachmentChange, attachmentRemoval, change, type ChangeLogEntry } from '../../comments/change-log';
import { type KnownField } from './project-fields';
import { type WireDetail } from './wire';

type NameOf = (id: number) => string | undefined;

/** What the entries of a change log name. */
export interface ChangeNames {
  status: NameOf;
  tracker: NameOf;
  priority: NameOf;
  category: NameOf;
  version: NameOf;
  person: NameOf;
  project: NameOf;
  /** Returns the key of an issue. */
  issue: NameOf;
  /** Returns a custom field by its id in Redmine. */
  field: (id: number) => KnownField | undefined;
  /** Returns the value of a custom field for people. */
  display: (field: KnownField, value: string) => string;
  doneField: () => KnownField;
  /** Returns a text as Markdown. */
  text: (text: string) => string;
}

/** The kinds of names that attributes refer to by id, with the names of the service's fields. */
const REFERENCES: ReadonlyMap<string, [field: string, names: ReferenceNames]> = new Map([
  ['status_id', ['status', 'status']],
  ['tracker_id', ['issueType', 'tracker']],
  ['priority_id', ['priority', 'priority']],
  ['category_id', ['component', 'category']],
  ['fixed_version_id', ['milestone', 'version']],
  ['assigned_to_id', ['assigner', 'person']],
  ['parent_id', ['parentIssue', 'issue']],
  ['project_id', ['project', 'project']],
]);
type ReferenceNames =
  | 'status'
  | 'tracker'
  | 'priority'
  | 'category'
  | 'version'
  | 'person'
  | 'issue'
  | 'project';

/** Attributes whose values are shown as they are. */
const VALUES: ReadonlyMap<string, string> = new Map([
  ['subject', 'summary'],
  ['start_date', 'startDate'],
  ['due_date', 'limitDate'],
  ['estimated_hours', 'estimatedHours'],
]);

/**
 * Returns the entry of a change log for a change that Redmine has recorded; undefined for one of something that the service does not have, such as
 * the privacy of an issue, or of a custom field that is not imported.
 */
export function toEntry(
  { property, name, old_value: before, new_value: after }: WireDetail,
  names: ChangeNames,
): ChangeLogEntry | undefined {
  switch (property) {
    case 'attr':
      return attributeEntry(name, before, after, names);
    case 'attachment': {
      const id = toId(name);
      if (id === undefined) return undefined;
      return after === '' ? attachmentRemoval({ id, name: before }) : attachmentChange({ id, name: after });
    }
    case 'cf': {
      const id = toId(name);
      const field = id === undefined ? undefined : names.field(id);
      return field && fieldEntry(field, names.display(field, before), names.display(field, after));
    }
    default:
      return undefined;
  }
}

function attributeEntry(
  name: string,
  before: string,
  after: string,
  names: ChangeNames,
): ChangeLogEntry | undefined {
  const reference = REFERENCES.get(name);
  if (reference) {
    const [field, kind] = reference;
    return change(field, nameIn(names[kind], after), nameIn(names[kind], before));
  }
  const value = VALUES.get(name);
  if (value !== undefined) return change(value, after, before);
  if (name === 'description') return change(name, names.text(after), names.text(before));
  return name === 'done_ratio' ? fieldEntry(names.doneField(), before, after) : undefined;
}

const fieldEntry = ({ id, name, typeId }: KnownField, before: string, after: string): ChangeLogEntry => ({
  ...change(name, after, before),
  attributeInfo: { id, typeId: String(typeId) },
});

/** Returns the name of what an id refers to; of what no longer exists, only the number is known. */
function nameIn(nameOf: NameOf, value: string): string {
  const id = toId(value);
  return id === undefined ? '' : (nameOf(id) ?? `#${id}`);
}

const toId = (value: string): number | undefined =>
  /^[1-9]\d{0,14}$/.test(value) ? Number(value) : undefined;
