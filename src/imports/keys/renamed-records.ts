import { type ArchivedRecord, type RecordKind } from '../../archives/record-kinds';
import { type EditorMark, type EditorNode, plainText } from '../../documents/editor/editor-node';
import { loopTurns } from '../../event-loop/loop-turns';
import { changeInside } from '../../event-loop/nested-values';
import { type RenamedKeys } from './renamed-keys';

/** The deepest node whose texts are changed; no text of a person is nested further. */
const MAX_DEPTH = 100;
/** The texts in contents of activities. Names and titles stay what they were. */
const ACTIVITY_TEXTS: ReadonlySet<string> = new Set(['description', 'content', 'diff']);
const DESCRIPTION = 'description';

/**
 * Returns a record with the new keys of issues wherever its texts show old ones. Long texts take several turns of the event loop.
 */
export async function withRenamedKeys(
  { name, fields }: Pick<RecordKind, 'name' | 'fields'>,
  record: ArchivedRecord,
  keys: RenamedKeys,
): Promise<ArchivedRecord> {
  const rename = RENAMINGS[name];
  if (!rename) return record;
  const changed: Record<string, unknown> = { ...record, ...(await rename(record, keys)) };
  for (const { name: field, maxLength } of fields) {
    const value = changed[field];
    if (value === record[field] || typeof value !== 'string' || maxLength === undefined) continue;
    changed[field] = [...value].slice(0, maxLength).join('');
  }
  return changed;
}

type Renaming = (
  record: ArchivedRecord,
  keys: RenamedKeys,
) => Record<string, unknown> | Promise<Record<string, unknown>>;

/** Returns the renaming of a field with a text. */
const ofText =
  (field: string): Renaming =>
  async (record, keys) => ({ [field]: await textOf(record[field], keys) });

const RENAMINGS: Readonly<Partial<Record<string, Renaming>>> = {
  issue: ofText('description'),
  pullRequest: ofText('description'),
  wiki: ofText('content'),
  wikiVersion: ofText('content'),
  comment: async (record, keys) => ({
    content: await textOf(record.content, keys),
    changeLog: await mapEntries(record.changeLog, (entry) =>
      renamedChange(entry, 'newValue', 'originalValue', keys),
    ),
  }),
  document: (record, keys) => renamedDocument(String(record.json), String(record.plain), keys),
  documentComment: async (record, keys) => ({
    json: (await renamedDocument(String(record.json), '', keys)).json,
  }),
  // `[OLD-12] Summary`
  star: ({ title }, keys) => ({
    title: String(title).replace(/^\[([^\][]+)\]/, (_found, key: string) => `[${keys.ofValue(key)}]`),
  }),
  activity: async (record, keys) => ({ content: await renamedContent(record.content, keys) }),
  activityText: ofText('text'),
};

const textOf = (value: unknown, keys: RenamedKeys): unknown =>
  typeof value === 'string' ? keys.inText(value) : value;

const mapEntries = (list: unknown, change: (entry: Record<string, unknown>) => unknown): unknown =>
  Array.isArray(list) ? changeInside(list, (entry) => (isObject(entry) ? change(entry) : entry)) : list;

/** Returns a change with new keys: in a description, and where a value is a key, such as that of a parent issue. */
async function renamedChange(
  change: Record<string, unknown>,
  after: string,
  before: string,
  keys: RenamedKeys,
): Promise<Record<string, unknown>> {
  const renamed = (value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    return change.field === DESCRIPTION ? keys.inText(value) : keys.ofValue(value);
  };
  const values: Record<string, unknown> = {};
  for (const name of [after, before])
    if (Object.hasOwn(change, name)) values[name] = await renamed(change[name]);
  return { ...change, ...values };
}

const renamedContent = (value: unknown, keys: RenamedKeys): Promise<unknown> =>
  changeInside(value, (inner, name) => renamedField(name, inner, keys));

function renamedField(name: string, value: unknown, keys: RenamedKeys): unknown {
  if (typeof value === 'string') return ACTIVITY_TEXTS.has(name) ? keys.inText(value) : value;
  if (name !== 'changes') return renamedContent(value, keys);
  return mapEntries(value, (change) => renamedChange(change, 'new_value', 'old_value', keys));
}

/** Returns the editor's document and its text with new keys. A document that cannot be read stays as it is. */
async function renamedDocument(
  json: string,
  plain: string,
  keys: RenamedKeys,
): Promise<{ json: string; plain: string }> {
  // Parsing a long document takes a while.
  const document = keys.mayChange(json) ? parseDocument(json) : undefined;
  const renamed = document && (await renamedNode(document, keys, 0));
  if (!document || !renamed) return { json, plain: await keys.inPlain(plain) };
  if (renamed === document) return { json, plain };
  return {
    json: JSON.stringify(renamed),
    plain: plain === plainText(document) ? plainText(renamed) : await keys.inPlain(plain),
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
async function renamedNode(
  node: EditorNode,
  keys: RenamedKeys,
  depth: number,
): Promise<EditorNode | undefined> {
  await loopTurns.pauseInBackground();
  if (depth > MAX_DEPTH || !isObject(node)) return undefined;
  if (node.type === 'codeBlock') return node;
  const changes: Partial<EditorNode> = {};
  const { text, marks, content = [] } = node;
  if (!Array.isArray(content)) return undefined;
  const some = Array.isArray(marks) ? marks.filter(isObject) : [];
  if (typeof text === 'string' && !some.some((mark) => mark.type === 'code')) {
    const renamed = await keys.inPlain(text);
    if (renamed !== text) changes.text = renamed;
  }
  const linked: EditorMark[] = [];
  for (const mark of some) linked.push(await renamedLink(mark, keys));
  if (linked.some((mark, index) => mark !== some[index])) changes.marks = linked;
  const children: EditorNode[] = [];
  for (const child of content) {
    const renamed = await renamedNode(child, keys, depth + 1);
    if (!renamed) return undefined;
    children.push(renamed);
  }
  if (children.some((child, index) => child !== content[index])) changes.content = children;
  return Object.keys(changes).length === 0 ? node : { ...node, ...changes };
}

async function renamedLink(mark: EditorMark, keys: RenamedKeys): Promise<EditorMark> {
  const href = mark.attrs?.href;
  if (mark.type !== 'link' || typeof href !== 'string') return mark;
  const renamed = await keys.inPlain(href);
  return renamed === href ? mark : { ...mark, attrs: { ...mark.attrs, href: renamed } };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
