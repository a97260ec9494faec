import { type ArchivedRecord, idPlacesOf, type RecordKind } from './record-kinds';

/**
 * Returns what replaces an id of a kind, or of `document.uid` or `documentComment.uid`, which are texts. An id need not be that of a record
 * of the archive: contents of activities outlive what they are about.
 */
export type IdMapping = <Id extends number | string>(kind: string, id: Id) => Id;

/** Ids of the statuses of every project on the wire (`StandardStatus`). */
const LAST_STANDARD_STATUS = 4;
const MENTION = /<@([UT])([1-9]\d{0,14})>/g;
const ID_LIST = /^[1-9]\d{0,14}(?:, [1-9]\d{0,14})*$/;

/** Returns a record with other ids, at all places where its kind declares some (`docs/format.md#references`). */
export function withMappedIds(kind: RecordKind, record: ArchivedRecord, map: IdMapping): ArchivedRecord {
  const mapped: Record<string, unknown> = { ...record };
  for (const { name, refersTo } of kind.fields) {
    const target = name === kind.idField && refersTo === undefined ? kind.name : refersTo;
    if (target !== undefined) mapped[name] = mappedId(mapped[name], target, map);
    for (const [path, inner] of Object.entries(idPlacesOf(kind, name, record) ?? {})) {
      mapped[name] = mapPlace(mapped[name], stepsOf(path), (value) => mappedId(value, inner, map));
    }
    if (kind.texts?.includes(name)) mapped[name] = withMappedMentions(mapped[name], map);
  }
  return mapped;
}

/** Calls `found` with each id in the values of a record: those that its places declare, and those of mentions. */
export function forEachInnerId(
  kind: RecordKind,
  record: ArchivedRecord,
  found: (kind: string, id: number | string) => void,
): void {
  const note: IdMapping = (target, id) => {
    found(target, id);
    return id;
  };
  for (const { name } of kind.fields) {
    for (const [path, target] of Object.entries(idPlacesOf(kind, name, record) ?? {})) {
      mapPlace(record[name], stepsOf(path), (value) => mappedId(value, target, note));
    }
    if (kind.texts?.includes(name)) withMappedMentions(record[name], note);
  }
}

/** A step to fields or elements of a value. */
interface Step {
  /** Empty for the value itself. */
  field: string;
  isList: boolean;
  /** Only elements with this field. */
  only?: { field: string; value: string };
}

const stepsByPath = new Map<string, readonly Step[]>();

function stepsOf(path: string): readonly Step[] {
  const known = stepsByPath.get(path);
  if (known) return known;
  const steps = path === '' ? [] : path.split('.').map(toStep);
  stepsByPath.set(path, steps);
  return steps;
}

function toStep(step: string): Step {
  const [, field = '', list, only, value = ''] = /^(\w*)(\[(?:(\w+)=(\w+))?\])?$/.exec(step) ?? [];
  if (field === '' && list === undefined) throw new Error(`${step} is not a step to ids`);
  return { field, isList: list !== undefined, ...(only !== undefined && { only: { field: only, value } }) };
}

/** Returns a value with a place replaced. A value of another shape is left as it is. */
function mapPlace(value: unknown, steps: readonly Step[], replace: (value: unknown) => unknown): unknown {
  const [step, ...rest] = steps;
  if (!step) return replace(value);
  const { field, isList, only } = step;
  const inField = (found: unknown): unknown => {
    if (!isList) return mapPlace(found, rest, replace);
    if (!Array.isArray(found)) return found;
    return found.map((element: unknown) =>
      !only || (isObject(element) && element[only.field] === only.value)
        ? mapPlace(element, rest, replace)
        : element,
    );
  };
  if (field === '') return inField(value);
  return isObject(value) && Object.hasOwn(value, field)
    ? { ...value, [field]: inField(value[field]) }
    : value;
}

function mappedId(value: unknown, kind: string, map: IdMapping): unknown {
  if (typeof value === 'number') return mappedNumber(value, kind, map);
  if (typeof value !== 'string') return value;
  if (kind.endsWith('.uid')) return map(kind, value);
  if (!ID_LIST.test(value)) return value;
  return value
    .split(', ')
    .map((id) => mappedNumber(Number(id), kind, map))
    .join(', ');
}

/** An id of 0 refers to nothing, such as the top folder. */
function mappedNumber(id: number, kind: string, map: IdMapping): number {
  if (id <= 0) return id;
  if (!kind.endsWith('.wire')) return map(kind, id);
  return id <= LAST_STANDARD_STATUS ? id : map(kind.slice(0, -'.wire'.length), id);
}

function withMappedMentions(value: unknown, map: IdMapping): unknown {
  if (typeof value === 'string') {
    return value.includes('<@')
      ? value.replace(
          MENTION,
          (_mention, letter: string, id: string) =>
            `<@${letter}${map(letter === 'U' ? 'user' : 'team', Number(id))}>`,
        )
      : value;
  }
  if (Array.isArray(value)) return value.map((element) => withMappedMentions(element, map));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withMappedMentions(one, map)]));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
