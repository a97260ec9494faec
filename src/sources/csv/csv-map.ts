import { readFile, stat } from 'node:fs/promises';
import { parse as parseYaml, YAMLParseError } from 'yaml';
import * as z from 'zod';
import { isMissing } from '../../errors/missing-file';
import { foldName } from '../../project-settings/fold-name';
import { PRIORITIES } from '../../project-settings/priorities';
import { RESOLUTIONS } from '../../project-settings/resolutions';
import { PROJECT_KEY } from '../../projects/project-key';
import { SourceError } from '../source.error';
import {
  type ColumnUse,
  dateFormat,
  encoding,
  FIELD_NAMES,
  FIELD_OPTIONS,
  type FieldName,
  locale,
  timeZone,
} from './fields';
import { didYouMean } from './nearest';

const MAX_SIZE = 1024 * 1024;
const MAX_FORMATS = 20;
/** What a map writes for no resolution. */
const NO_RESOLUTION = 'None';

/** The fields whose values a map can replace. */
export type MappedField = 'status' | 'issueType' | 'priority' | 'resolution';

/** How files are read: what their columns are, and what their values mean. */
export interface CsvMap {
  encoding?: string;
  delimiter?: string;
  timeZone?: string;
  locale: string;
  /** Instead of those that mean the same everywhere. */
  dateFormats?: readonly string[];
  decimalComma: boolean;
  /** Whether a number that refers to an issue is never the one in its key. */
  numbersAreIds: boolean;
  /** Without it, columns say which project an issue belongs to. */
  project?: { key: string; name: string };
  /** What the texts are written in; those of Jira are converted. */
  textFormat: 'markdown' | 'backlog' | 'jira';
  /** The values of this service, by the folded values of the file. */
  values: Readonly<Record<MappedField, ReadonlyMap<string, string>>>;
  /** Returns what a column is used for; undefined if the map does not name it. */
  useOf: (header: string) => ColumnUse | undefined;
  /** Columns that the files must have. */
  required: readonly string[];
}

const enumOf = (names: Iterable<string>) => z.enum([...names] as [string, ...string[]]);
const replacements = (to: z.ZodType<string>) => z.record(z.string(), to).optional();
const target = z.string().trim().min(1).max(255);

const values = {
  status: replacements(target),
  issueType: replacements(target),
  priority: replacements(enumOf(PRIORITIES.values())),
  resolution: replacements(enumOf([...RESOLUTIONS.values(), NO_RESOLUTION])),
};
const project = { key: z.string().regex(PROJECT_KEY), name: target.optional() };
const top = {
  version: z.literal(1),
  encoding: encoding.optional(),
  delimiter: z.enum([',', ';', '\t']).optional(),
  timeZone: timeZone.optional(),
  locale: locale.optional(),
  dateFormats: z.array(dateFormat).min(1).max(MAX_FORMATS).optional(),
  decimalComma: z.boolean().optional(),
  project: z.strictObject(project).optional(),
  textFormat: z.enum(['markdown', 'backlog', 'jira']).optional(),
  columns: z.record(z.string(), z.unknown()).optional(),
  values: z.strictObject(values).optional(),
};
const schema = z.strictObject(top);
/** The keys that a map may have, by where they are. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(top),
  project: Object.keys(project),
  values: Object.keys(values),
};

/** A map as it is written. */
export type WrittenMap = Omit<z.output<typeof schema>, 'columns'> & {
  columns: ReadonlyMap<string, ColumnUse>;
};

/** Reads a map. @throws SourceError in one sentence that names the place */
export async function readMap(path: string): Promise<WrittenMap> {
  const size = await stat(path).then(
    (found) => found.size,
    (error: unknown) => {
      throw isMissing(error) ? new SourceError(`There is no map ${path}.`) : error;
    },
  );
  if (size > MAX_SIZE) throw new SourceError(`${path} is too large for a map.`);
  return parseMap(await readFile(path, 'utf8'), path);
}

/** Parses a map. @param path as errors name it @throws SourceError in one sentence that names the place */
export function parseMap(text: string, path: string): WrittenMap {
  const parsed = schema.safeParse(yamlOf(text, path));
  if (!parsed.success) throw problem(path, '', parsed.error, (place) => KEYS[place] ?? []);
  const columns = new Map<string, ColumnUse>();
  for (const [header, use] of Object.entries(parsed.data.columns ?? {})) {
    columns.set(header.trim(), useOf(path, header, use));
  }
  return { ...parsed.data, columns };
}

/**
 * Returns the map of a CSV file.
 * @throws SourceError if it lacks what no file can do without
 */
export function csvMapOf(written: WrittenMap, path: string): CsvMap {
  const { columns } = written;
  const fields = new Set([...columns.values()].map(({ field }) => field));
  if (!fields.has('summary'))
    throw new SourceError(`${path}: columns needs a column with the field summary.`);
  if (!written.project && !fields.has('projectKey') && !fields.has('key'))
    throw new SourceError(
      `${path} needs project with the key of the project, or a column with the field projectKey.`,
    );
  return {
    ...settingsOf(written),
    numbersAreIds: false,
    values: valuesOf(written),
    useOf: (header) => columns.get(header),
    required: [...columns.keys()],
  };
}

/** Returns the parts of a map that do not depend on the form of the file. */
export function settingsOf({
  project: given,
  ...written
}: WrittenMap): Omit<CsvMap, 'values' | 'useOf' | 'required' | 'numbersAreIds'> {
  return {
    ...(written.encoding !== undefined && { encoding: written.encoding }),
    ...(written.delimiter !== undefined && { delimiter: written.delimiter }),
    ...(written.timeZone !== undefined && { timeZone: written.timeZone }),
    ...(written.dateFormats && { dateFormats: written.dateFormats }),
    ...(given && { project: { key: given.key, name: given.name ?? given.key } }),
    locale: written.locale ?? 'en',
    decimalComma: written.decimalComma ?? false,
    textFormat: written.textFormat ?? 'markdown',
  };
}

/** Returns the replacements of values. @param initial those that the map can change */
export function valuesOf(
  written: Pick<WrittenMap, 'values'>,
  initial: Partial<Record<MappedField, Readonly<Record<string, string>>>> = {},
): CsvMap['values'] {
  const of = (field: MappedField): ReadonlyMap<string, string> => {
    const pairs = [...Object.entries(initial[field] ?? {}), ...Object.entries(written.values?.[field] ?? {})];
    return new Map(
      pairs.map(([from, to]) => [foldName(from), to === NO_RESOLUTION && field === 'resolution' ? '' : to]),
    );
  };
  return {
    status: of('status'),
    issueType: of('issueType'),
    priority: of('priority'),
    resolution: of('resolution'),
  };
}

function yamlOf(text: string, path: string): unknown {
  try {
    return parseYaml(text, { logLevel: 'error' });
  } catch (error) {
    if (!(error instanceof YAMLParseError || error instanceof ReferenceError)) throw error;
    const [reason = ''] = error.message.split('\n');
    throw new SourceError(`${path} is not YAML: ${reason.replace(/:$/, '')}.`, { cause: error });
  }
}

/** Returns the use of a column, which a map writes as the name of a field or as an object with options. */
function useOf(path: string, header: string, written: unknown): ColumnUse {
  const place = `column ${JSON.stringify(header)}`;
  const use = typeof written === 'string' ? { field: written } : written;
  const field = z.object({ field: z.string() }).safeParse(use);
  if (!field.success)
    throw new SourceError(`${path}, ${place}: it needs the name of a field, such as summary.`);
  const name = field.data.field as FieldName;
  if (!FIELD_NAMES.includes(name)) {
    throw new SourceError(
      `${path}, ${place}: there is no field ${JSON.stringify(name)}${didYouMean(name, FIELD_NAMES) || '.'}`,
    );
  }
  const options = { field: z.literal(name), ...FIELD_OPTIONS[name] };
  const parsed = z.strictObject(options).safeParse(use);
  if (!parsed.success) throw problem(path, place, parsed.error, () => Object.keys(options));
  return parsed.data;
}

/** Returns the first problem of a map as one sentence. @param keysAt the keys that a place may have */
function problem(
  path: string,
  within: string,
  { issues: [issue] }: z.ZodError,
  keysAt: (place: string) => readonly string[],
): SourceError {
  const place = issue?.path.join('.') ?? '';
  const start = [path, within, place].filter((part) => part !== '').join(', ');
  if (issue?.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    return new SourceError(
      `${start}: there is no key ${JSON.stringify(key)}${didYouMean(key, keysAt(place)) || '.'}`,
    );
  }
  if (issue?.code === 'invalid_value') {
    return new SourceError(
      `${start}: it must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}.`,
    );
  }
  if (issue?.code === 'invalid_format') {
    return new SourceError(
      `${start}: it must be 1 to 25 capital letters, digits or underscores, a letter first.`,
    );
  }
  return new SourceError(`${start}: ${issue?.message ?? 'it is not valid'}.`);
}
