import { type FieldReceivers } from '../attachments/upload-reader';
import { InvalidRequestError } from '../errors/domain-errors';
import { PROJECT_KEY } from '../projects/project-key';
import { projectChoice } from '../sources/project-choice';
import { type RemoteSource, remoteSourceOf } from '../sources/remote-sources';
import { TEXT_FORMATS } from '../sources/text-format';
import { SourceError } from '../sources/source.error';
import { type ImportOptions, MAX_PAIRS } from './import-options';
import { type RequestedSource } from './import-source';
import { userPairsOf } from './user-pairs';

/** The most characters of an address, which is also the name of its import. */
export const MAX_NAME_LENGTH = 255;
const MAX_KEYS = 20;
const MAX_SECRET_LENGTH = 1000;
/** What the header of a request can hold. */
const PRINTABLE = /^[\x21-\x7e]+$/;
const LINE = /^\P{Cc}+$/u;
/** The fields that only sources have. */
const OF_SOURCES = ['key', 'textFormat', 'gitUser', 'gitPassword'] as const;
const FIELDS = ['from', 'project', 'users', 'keepAccounts', 'follow', ...OF_SOURCES] as const;

type Field = (typeof FIELDS)[number];

/** Reads the fields of a form that begins an import of an archive or of a source, before or after the archive. */
export class ImportForm {
  private readonly given: Partial<Record<Field, string>> = {};

  readonly receivers: FieldReceivers = Object.fromEntries(
    FIELDS.map((field) => [field, (value: string) => void (this.given[field] = value)]),
  );

  /** Whether it names a source. */
  get isSource(): boolean {
    return this.given.from !== undefined;
  }

  /** Returns the options for an archive. @throws InvalidRequestError */
  archiveOptions(): ImportOptions {
    const other = OF_SOURCES.find((field) => this.given[field] !== undefined);
    if (other !== undefined)
      throw InvalidRequestError.of(other, `${other} is only for a source: send from, too.`);
    if (this.isSource) throw InvalidRequestError.of('from', 'Send either a file or from.');
    return this.options(pairsOf(this.given.project, 'project'));
  }

  /** Returns what is said of a source, and the options for what is read from it. @throws InvalidRequestError */
  source(): { source: RequestedSource; options: ImportOptions } {
    const { from = '', project, key, textFormat, gitUser, gitPassword } = this.given;
    const remote = remoteOf(from);
    const { projects, projectKeys } = projectChoice(projectsOf(project));
    const keys = key === undefined ? [] : partsOf(key);
    if (remote.needsKey && keys.length === 0)
      throw InvalidRequestError.of('key', 'A key of the source is needed.');
    if (keys.length > MAX_KEYS) throw InvalidRequestError.of('key', `There are more than ${MAX_KEYS} keys.`);
    for (const one of keys) requireHeader('key', one);
    if (gitUser !== undefined) requireLine('gitUser', gitUser);
    if (gitPassword !== undefined) requireLine('gitPassword', gitPassword);
    return {
      source: {
        ...{ from, keys, origins: remote.origins },
        projectKeys: [...projectKeys],
        ...(projects && { projects }),
        ...(textFormat !== undefined && { textFormat: oneOf('textFormat', TEXT_FORMATS, textFormat) }),
        ...(gitUser !== undefined && { gitUser }),
        ...(gitPassword !== undefined && { gitPassword }),
      },
      options: this.options(remote.givesKeys ? {} : Object.fromEntries(projectKeys)),
    };
  }

  private options(projects: ImportOptions['projects']): ImportOptions {
    const { users, keepAccounts, follow } = this.given;
    return {
      projects,
      users: userPairsOf(users, 'users'),
      keepsAccounts: toBoolean('keepAccounts', keepAccounts),
      ...(toBoolean('follow', follow) && { follows: true }),
    };
  }
}

/**
 * Reads pairs such as `OLD:NEW`, separated by commas or line ends.
 * @param field names them in errors
 * @throws InvalidRequestError
 */
export function pairsOf(text: string | undefined, field: string): Record<string, string> {
  const pairs = new Map<string, string>();
  for (const [number, line] of (text ?? '').split(/[\n,]/).entries()) {
    const pair = line.trim();
    if (pair === '' || pair.startsWith('#')) continue;
    const [, from = '', to = ''] = /^([^:]+):([^:]+)$/.exec(pair) ?? [];
    const [old, now] = [unquoted(from), unquoted(to)];
    if (old === '' || now === '')
      throw InvalidRequestError.of(field, `Line ${number + 1} of ${field} is not a pair such as OLD:NEW.`);
    if (pairs.has(old))
      throw InvalidRequestError.of(field, `Line ${number + 1} of ${field} has a name that is there twice.`);
    pairs.set(old, now);
    requireFew(pairs.size, field);
  }
  return Object.fromEntries(pairs);
}

const unquoted = (text: string): string => text.trim().replace(/^"(.*)"$/, '$1');

function requireFew(count: number, field: string): void {
  if (count > MAX_PAIRS) throw InvalidRequestError.of(field, `There are more than ${MAX_PAIRS} pairs.`);
}

/** Returns the projects of a source, each `KEY` or `KEY:NEW`; undefined for all. */
function projectsOf(text: string | undefined): string[] | undefined {
  const parts = text === undefined ? [] : partsOf(text);
  requireFew(parts.length, 'project');
  for (const part of parts) {
    const [name = '', as, ...more] = part.split(':');
    if (name === '' || more.length > 0 || (as !== undefined && !PROJECT_KEY.test(as)))
      throw InvalidRequestError.of('project', `${part} is not a project such as KEY or KEY:NEW.`);
  }
  return parts.length === 0 ? undefined : parts;
}

const partsOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');

function remoteOf(from: string): RemoteSource {
  if (from.length > MAX_NAME_LENGTH)
    throw InvalidRequestError.of('from', `from has more than ${MAX_NAME_LENGTH} characters.`);
  try {
    return remoteSourceOf(from);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw InvalidRequestError.of('from', error.message);
  }
}

function requireHeader(field: string, value: string): void {
  if (value.length <= MAX_SECRET_LENGTH && PRINTABLE.test(value)) return;
  throw InvalidRequestError.of(
    field,
    `${field} must have at most ${MAX_SECRET_LENGTH} characters of ASCII, without spaces.`,
  );
}

function requireLine(field: string, value: string): void {
  if (value.length <= MAX_SECRET_LENGTH && LINE.test(value)) return;
  throw InvalidRequestError.of(
    field,
    `${field} must have 1 to ${MAX_SECRET_LENGTH} characters, none of which is a control character.`,
  );
}

function oneOf<T extends string>(field: string, allowed: readonly T[], value: string): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw InvalidRequestError.of(field, `${field} must be ${allowed.join(' or ')}.`);
  return found;
}

const toBoolean = (field: string, value = 'false'): boolean =>
  oneOf(field, ['true', 'false'], value) === 'true';
