import { type ArchivedRecord, type RecordKind } from '../../archives/record-kinds';
import { type EditorMark, type EditorNode, plainText } from '../../documents/editor/editor-node';
import { type RenamedKeys } from './renamed-keys';

/** The deepest node whose texts are changed; no text of a person is nested further. */
const MAX_DEPTH = 100;
/** The texts in contents of activities. Names and titles stay what they were. */
const ACTIVITY_TEXTS: ReadonlySet<string> = new Set(['description', 'content', 'diff']);
const DESCRIPTION = 'description';

/** Returns a record with the new keys of issues wherever its texts show old ones. */
export function withRenamedKeys(
  { name, fields }: Pick<RecordKind, 'name' | 'fields'>,
  record: ArchivedRecord,
  keys: RenamedKeys,
): ArchivedRecord {
  const rename = RENAMINGS[name];
  if (!rename) return record;
  const changed: Record<string, unknown> = { ...record, ...rename(record, keys) };
  for (const { name: field, maxLength } of fields) {
    const value = changed[field];
    if (value === record[field] || typeof value !== 'string' || maxLength === undefined) continue;
    changed[field] = [...value].slice(0, maxLength).join('');
  }
  return changed;
}

type Renaming = (record: ArchivedRecord, keys: RenamedKeys) => Record<string, unknown>;

/** Returns the renaming of a field with a text. */
const ofText =
  (field: string): Renaming =>
  (record, keys) => ({ [field]: textOf(record[field], keys) });

const RENAMINGS: Readonly<Partial<Record<string, Renaming>>> = {
  issue: ofText('description'),
  pullRequest: ofText('description'),
  wiki: ofText('content'),
  wikiVersion: ofText('content'),
  comment: (record, keys) => ({
    content: textOf(record.content, keys),
    changeLog: mapEntries(record.changeLog, (entry) =>
      renamedChange(entry, 'newValue', 'originalValue', keys),
    ),
  }),
  document: (record, keys) => {
    const { json, plain } = renamedDocument(String(record.json), String(record.plain), keys);
    return { json, plain };
  },
  documentComment: (record, keys) => ({ json: renamedDocument(String(record.json), '', keys).json }),
  // `[OLD-12] Summary`
  star: ({ title }, keys) => ({
    title: String(title).replace(/^\[([^\][]+)\]/, (_found, key: string) => `[${keys.ofValue(key)}]`),
  }),
  activity: (record, keys) => ({ content: renamedContent(record.content, keys) }),
  activityText: ofText('text'),
};

const textOf = (value: unknown, keys: RenamedKeys): unknown =>
  typeof value === 'string' ? keys.inText(value) : value;

function mapEntries(list: unknown, change: (entry: Record<string, unknown>) => unknown): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((entry: unknown) => (isObject(entry) ? change(entry) : entry));
}

/** Returns a change with new keys: in a description, and where a value is a key, such as that of a parent issue. */
function renamedChange(
  change: Record<string, unknown>,
  after: string,
  before: string,
  keys: RenamedKeys,
): Record<string, unknown> {
  const renamed = (value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    return change.field === DESCRIPTION ? keys.inText(value) : keys.ofValue(value);
  };
  const values: Record<string, unknown> = {};
  for (const name of [after, before]) if (Object.hasOwn(change, name)) values[name] = renamed(change[name]);
  return { ...change, ...values };
}

function renamedContent(value: unknown, keys: RenamedKeys): unknown {
  if (Array.isArray(value)) return value.map((element) => renamedContent(element, keys));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (typeof inner === 'string') return [name, ACTIVITY_TEXTS.has(name) ? keys.inText(inner) : inner];
      if (name !== 'changes') return [name, renamedContent(inner, keys)];
      return [name, mapEntries(inner, (change) => renamedChange(change, 'new_value', 'old_value', keys))];
    }),
  );
}

/** Returns the editor's document and its text with new keys. A document that cannot be read stays as it is. */
function renamedDocument(json: string, plain: string, keys: RenamedKeys): { json: string; plain: string } {
  const document = parseDocument(json);
  const renamed = document && renamedNode(document, keys, 0);
  if (!document || !renamed) return { json, plain: keys.inPlain(plain) };
  if (renamed === document) return { json, plain };
  return {
    json: JSON.stringify(renamed),
    plain: plain === plainText(document) ? plainText(renamed) : keys.inPlain(plain),
  };
}

function parseDocument(json: string): EditorNode | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? (value as unknown as EditorNode) : undefined;
  } catch {
    return undefined;
  }
}

/** @returns the same node if nothing in it changes, undefined if it is nested too deeply or none of the editor's */
function renamedNode(node: EditorNode, keys: RenamedKeys, depth: number): EditorNode | undefined {
  if (depth > MAX_DEPTH || !isObject(node)) return undefined;
  if (node.type === 'codeBlock') return node;
  const changes: Partial<EditorNode> = {};
  const { text, marks, content = [] } = node;
  if (!Array.isArray(content)) return undefined;
  const some = Array.isArray(marks) ? marks.filter(isObject) : [];
  if (typeof text === 'string' && !some.some((mark) => mark.type === 'code')) {
    const renamed = keys.inPlain(text);
    if (renamed !== text) changes.text = renamed;
  }
  const linked = some.map((mark) => renamedLink(mark, keys));
  if (linked.some((mark, index) => mark !== some[index])) changes.marks = linked;
  const children: EditorNode[] = [];
  for (const child of content) {
    const renamed = renamedNode(child, keys, depth + 1);
    if (!renamed) return undefined;
    children.push(renamed);
  }
  if (children.some((child, index) => child !== content[index])) changes.content = children;
  return Object.keys(changes).length === 0 ? node : { ...node, ...changes };
}

function renamedLink(mark: EditorMark, keys: RenamedKeys): EditorMark {
  const href = mark.attrs?.href;
  if (mark.type !== 'link' || typeof href !== 'string') return mark;
  const renamed = keys.inPlain(href);
  return renamed === href ? mark : { ...mark, attrs: { ...mark.attrs, href: renamed } };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
