import { createHash } from 'node:crypto';
import { type EntityManager } from 'typeorm';
import { insertRowIfMissing } from '../database/rows';
import { inList, type StatementRunner } from '../database/statements';
import { ActivityText } from './entities/activity-text.entity';

/** Texts longer than this, in characters, are kept once; shorter ones stand in the content itself. */
const MAX_INLINE_LENGTH = 1024;

/**
 * A reference as it stands in JSON in place of a text. Nothing that a user writes looks like one: quotes inside a JSON
 * string are escaped.
 */
const REFERENCE_START = '{"$text":"';
const REFERENCE = /\{"\$text":"([\w-]{43})"\}/g;

/** What a reference is in a content that has been parsed. */
interface TextReference {
  $text: string;
}

/** The texts that references name, by digest. */
export type ActivityTexts = ReadonlyMap<string, string>;

/** A content with references in place of its long texts, and those texts. */
export function referToTexts(projectId: number, content: object): { content: object; texts: ActivityTexts } {
  const texts = new Map<string, string>();
  return { content: withReferences(content, projectId, texts) as object, texts };
}

/**
 * Keeps the long texts of a content once for the project, in the manager's transaction, and gives the content with
 * references in their place. A content without long texts is given as it is, and sends no statement.
 */
export async function keepTexts(manager: EntityManager, projectId: number, content: object): Promise<object> {
  const { content: kept, texts } = referToTexts(projectId, content);
  // In the order of their keys, so that two who keep the same texts do not wait for each other.
  for (const [digest, text] of [...texts].sort(([one], [other]) => (one < other ? -1 : 1))) {
    await insertRowIfMissing(manager, ActivityText, { digest, projectId, text });
  }
  return kept;
}

/** The texts that some JSON texts refer to, in one query; in none when they refer to none. */
export async function findTexts(runner: StatementRunner, jsons: readonly string[]): Promise<ActivityTexts> {
  const digests = new Set(jsons.flatMap(digestsIn));
  if (digests.size === 0) return new Map();
  const list = inList([...digests]);
  const rows = await runner.query<{ digest: string; text: string }[]>(
    `SELECT digest, text FROM activity_text WHERE digest ${list.sql}`,
    list.parameters,
  );
  return new Map(rows.map(({ digest, text }) => [digest, text]));
}

/** JSON with its texts in place, byte for byte as without references; undefined when one is gone with its project. */
export function withTexts(json: string, texts: ActivityTexts): string | undefined {
  if (isIncomplete(json, texts)) return undefined;
  return json.replace(REFERENCE, (_reference, digest: string) => JSON.stringify(texts.get(digest)));
}

/** The same, parsed; values that refer to one text share it. */
export function parseWithTexts(json: string, texts: ActivityTexts): object | undefined {
  if (!json.includes(REFERENCE_START)) return JSON.parse(json) as object;
  if (isIncomplete(json, texts)) return undefined;
  const inPlace = (_key: string, value: unknown): unknown =>
    isReference(value) ? texts.get(value.$text) : value;
  return JSON.parse(json, inPlace) as object;
}

const digestsIn = (json: string): string[] =>
  [...json.matchAll(REFERENCE)].map(([, digest]) => digest as string);

const isIncomplete = (json: string, texts: ActivityTexts): boolean =>
  digestsIn(json).some((digest) => !texts.has(digest));

function withReferences(value: unknown, projectId: number, texts: Map<string, string>): unknown {
  if (typeof value === 'string') {
    if (value.length <= MAX_INLINE_LENGTH) return value;
    const digest = createHash('sha256').update(`${projectId}:${value}`).digest('base64url');
    texts.set(digest, value);
    return { $text: digest } satisfies TextReference;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withReferences(item, projectId, texts));
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    fields[name] = withReferences((value as Record<string, unknown>)[name], projectId, texts);
  }
  return fields;
}

const isReference = (value: unknown): value is TextReference =>
  typeof value === 'object' && value !== null && '$text' in value;
