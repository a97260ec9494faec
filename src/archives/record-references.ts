import { changeInPieces } from '../event-loop/long-texts';
import { changeInside } from '../event-loop/nested-values';
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

/**
 * Returns a record with other ids, at all places where its kind declares some (`docs/format.md#references`). Long texts take several turns of
 * the event loop.
 */
export async function withMappedIds(
  kind: RecordKind,
  record: ArchivedRecord,
  map: IdMapping,
): Promise<ArchivedRecord> {
  const mapped: Record<string, unknown> = { ...record };
  for (const { name, refersTo } of kind.fields) {
    const target = name === kind.idField && refersTo === undefined ? kind.name : refersTo;
    if (target !== undefined) mapped[name] = await mappedId(mapped[name], target, map);
    for (const [path, inner] of Object.entries(idPlacesOf(kind, name, record) ?? {})) {
      mapped[name] = await mapPlace(mapped[name], stepsOf(path), (value) => mappedId(value, inner, map));
    }
    if (kind.texts?.includes(name)) mapped[name] = await withMappedMentions(mapped[name], map);
  }
  return mapped;
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

type Replacement = (value: unknown) => unknown;

/** Returns a value with a place replaced. A value of another shape is left as it is. */
async function mapPlace(value: unknown, steps: readonly Step[], replace: Replacement): Promise<unknown> {
  const [step, ...rest] = steps;
  if (!step) return replace(value);
  const { field } = step;
  if (field === '') return mapFound(value, step, rest, replace);
  if (!isObject(value) || !Object.hasOwn(value, field)) return value;
  return { ...value, [field]: await mapFound(value[field], step, rest, replace) };
}

/** Returns what a step has found with the place replaced, in each of its elements if it is a list. */
async function mapFound(
  found: unknown,
  { isList, only }: Step,
  rest: readonly Step[],
  replace: Replacement,
): Promise<unknown> {
  if (!isList) return mapPlace(found, rest, replace);
  if (!Array.isArray(found)) return found;
  return changeInside(found, (element) =>
    !only || (isObject(element) && element[only.field] === only.value)
      ? mapPlace(element, rest, replace)
      : element,
  );
}

function mappedId(value: unknown, kind: string, map: IdMapping): unknown {
  if (typeof value === 'number') return mappedNumber(value, kind, map);
  if (typeof value !== 'string') return value;
  if (kind.endsWith('.uid')) return map(kind, value);
  if (!ID_LIST.test(value)) return value;
  return changeInPieces(value, ',', (piece) =>
    piece.replace(/\d+/g, (id) => String(mappedNumber(Number(id), kind, map))),
  );
}

/** An id of 0 refers to nothing, such as the top folder. */
function mappedNumber(id: number, kind: string, map: IdMapping): number {
  if (id <= 0) return id;
  if (!kind.endsWith('.wire')) return map(kind, id);
  return id <= LAST_STANDARD_STATUS ? id : map(kind.slice(0, -'.wire'.length), id);
}

const withMappedMentions = (value: unknown, map: IdMapping): Promise<unknown> =>
  typeof value === 'string'
    ? mappedMentions(value, map)
    : changeInside(value, (inner) => withMappedMentions(inner, map));

const mappedMentions = (text: string, map: IdMapping): Promise<string> =>
  changeInPieces(text, '<', (piece) =>
    piece.includes('<@')
      ? piece.replace(
          MENTION,
          (_mention, letter: string, id: string) =>
            `<@${letter}${map(letter === 'U' ? 'user' : 'team', Number(id))}>`,
        )
      : piece,
  );

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
