import { createHash } from 'node:crypto';

/** Maximum length of an inline text, in characters; longer texts are stored separately, once. */
const MAX_INLINE_LENGTH = 1024;

/**
 * A reference, which replaces a text in JSON. User input cannot look like one, because quotes inside a JSON string are escaped.
 */
const REFERENCE_START = '{"$text":"';
const REFERENCE = /\{"\$text":"([\w-]{43})"\}/g;

/** A reference in parsed content. */
interface TextReference {
  $text: string;
}

/** Where a text is stored once. */
export interface TextScope {
  projectId: number;
  /** A value of `textPeriodAt`. */
  period: number;
}

/** Referenced texts, by digest. */
export type ActivityTexts = ReadonlyMap<string, string>;

/**
 * Returns content with references in place of its long texts, and those texts.
 * @param scope within which a text is stored once: its project and its period
 */
export function extractTexts(
  { projectId, period }: TextScope,
  content: object,
): { content: object; texts: ActivityTexts } {
  const texts = new Map<string, string>();
  return { content: withReferences(content, `${projectId}:${period}`, texts) as object, texts };
}

/**
 * Returns JSON with its texts in place, byte for byte as without references; undefined if a text has been removed with its
 * project.
 */
export function withTexts(json: string, texts: ActivityTexts): string | undefined {
  if (isIncomplete(json, texts)) return undefined;
  return json.replace(REFERENCE, (_reference, digest: string) => JSON.stringify(texts.get(digest)));
}

/** Like `withTexts`, but parsed; values that reference the same text share it. */
export function parseWithTexts(json: string, texts: ActivityTexts): object | undefined {
  if (!json.includes(REFERENCE_START)) return JSON.parse(json) as object;
  if (isIncomplete(json, texts)) return undefined;
  const resolveReference = (_key: string, value: unknown): unknown =>
    isReference(value) ? texts.get(value.$text) : value;
  return JSON.parse(json, resolveReference) as object;
}

/** Returns the digests of the texts referenced by JSON. */
export const digestsIn = (json: string): string[] =>
  [...json.matchAll(REFERENCE)].map(([, digest]) => digest as string);

const isIncomplete = (json: string, texts: ActivityTexts): boolean =>
  digestsIn(json).some((digest) => !texts.has(digest));

function withReferences(value: unknown, scope: string, texts: Map<string, string>): unknown {
  if (typeof value === 'string') {
    if (value.length <= MAX_INLINE_LENGTH) return value;
    const digest = createHash('sha256').update(`${scope}:${value}`).digest('base64url');
    texts.set(digest, value);
    return { $text: digest } satisfies TextReference;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withReferences(item, scope, texts));
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    fields[name] = withReferences((value as Record<string, unknown>)[name], scope, texts);
  }
  return fields;
}

const isReference = (value: unknown): value is TextReference =>
  typeof value === 'object' && value !== null && '$text' in value;
