/** What a value may be; null = anything. */
export type Shape = null | {
  /** Kinds as `kindOf` names them, except those of arrays and objects with known parts. */
  kinds: string[];
  /** What the items of an array may be. */
  items?: Shape;
  /** The properties of an object, or of each object that it may be. */
  objects?: Record<string, Shape>[];
};

/** A call in the service that states the type of rows. */
export interface RowCall {
  /** Path and line, as `src/users/data/user.repository.ts:40`. */
  place: string;
  /** Where the call is in the file. */
  start: number;
  end: number;
  /** What it returns, or a promise of it. */
  shape: NonNullable<Shape>;
}

/** How many items of an array are compared. */
const SOME = 20;
const NONE: readonly string[] = [];

/** Returns how a value differs from its shape. */
export function differences(value: unknown, shape: Shape, name = ''): readonly string[] {
  const kind = kindOf(value);
  if (!shape || shape.kinds.includes(kind)) return NONE;
  const { items, objects } = shape;
  if (kind === 'array' && items !== undefined) {
    const some = (value as unknown[]).slice(0, SOME);
    return some.flatMap((item) => differences(item, items, name));
  }
  if (kind === 'object' && objects) {
    const found = objects.map((properties) => differencesOfObject(value as object, properties, name));
    return found.find((list) => list.length === 0) ?? found[0] ?? NONE;
  }
  return [`${name || 'the result'} is ${kind}, but declared as ${declared(shape)}`];
}

function differencesOfObject(value: object, properties: Record<string, Shape>, name: string): string[] {
  const prefix = name && `${name}.`;
  const found: string[] = [];
  for (const key in value) if (!(key in properties)) found.push(`${prefix}${key} is not declared`);
  for (const key in properties) {
    const part = (value as Record<string, unknown>)[key];
    const shape = properties[key] ?? null;
    // Most values fit, and need no name.
    if (shape?.kinds.includes(kindOf(part)) !== true) found.push(...differences(part, shape, prefix + key));
  }
  return found;
}

const declared = ({ kinds, items, objects }: NonNullable<Shape>): string =>
  [...kinds, ...(items === undefined ? [] : ['array']), ...(objects ? ['object'] : [])].join(' | ');

/** Names the kind of a value: its `typeof`, `null`, `array`, or the class of a date or of binary data. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  if (Array.isArray(value)) return 'array';
  if (value instanceof Uint8Array) return 'Uint8Array';
  return value instanceof Date ? 'Date' : 'object';
}
