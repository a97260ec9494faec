import { mkdir, readdir, rmdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { recordKinds } from '../../archives/record-kinds';
import { isMissing } from '../../errors/missing-file';
import { ArchiveBuilder } from '../archive-builder';
import { RecordSpool } from '../../archives/data/record-spool';
import { SourcePeople } from '../people';
import {
  type Source,
  type SourceKind,
  type SourceOptions,
  type SourcePlan,
  type SourceReport,
} from '../source';
import { SourceError } from '../source.error';
import { type CsvMap, csvMapOf, readMap } from './csv-map';
import { CsvPeople } from './csv-people';
import { readHeader } from './csv-reader';
import { IssueReader } from './issue-reader';
import { JIRA_LOSSES, jiraMapOf } from './jira-map';
import { minimalMap } from './minimal-map';
import { readRows, type Row } from './row';
import { Survey } from './survey';
import { ValueReader } from './values';

const CSV = 'csv:';
const JIRA = 'jira:';
const EXTENSION = '.csv';
/** The file in the spool for `--dry-run`. */
const PLAN = 'plan.db';
const MAX_NAMED_COLUMNS = 50;
const ROWS_PER_REPORT = 100;

/** What the files of a source were when the reading began. */
interface FoundFiles {
  paths: readonly string[];
  /** The latest time of their contents, in milliseconds. */
  time: number;
  /** Changes when one of the files does. */
  state: string;
}

/**
 * CSV files, or those of Jira's export, as a source (`docs/decisions/0070-sources.md`). They are read twice: issues may refer to later ones,
 * and the type of a custom field follows from all of its values. Nothing is kept for a repeated run, which reads them again.
 */
export class CsvSource implements Source {
  readonly time: number;

  private constructor(
    private readonly path: string,
    private readonly found: FoundFiles,
    private readonly map: CsvMap,
    private readonly losses: readonly string[],
    private readonly options: SourceOptions,
    private readonly report: SourceReport,
  ) {
    this.time = found.time;
  }

  /**
   * @param from `csv:` or `jira:`, and the path of a file, or of a folder whose CSV files are read in the order of their names
   * @throws SourceError if there is no file, or the map is missing or not valid
   */
  static async open(from: string, options: SourceOptions, report: SourceReport): Promise<CsvSource> {
    const isJira = from.startsWith(JIRA);
    const path = from.slice(isJira ? JIRA.length : CSV.length);
    const found = await findFiles(path);
    const written = options.map === undefined ? undefined : await readMap(options.map);
    const map = isJira
      ? jiraMapOf(written)
      : csvMapOf(written ?? (await refuse(path, found)), options.map ?? '');
    await mkdir(options.spool, { recursive: true, mode: 0o700 });
    return new CsvSource(path, found, map, isJira ? JIRA_LOSSES : [], options, report);
  }

  /** Reads the files as an import does, so that it finds whatever an import would refuse. */
  async plan(): Promise<SourcePlan> {
    const records = new RecordSpool(join(this.options.spool, PLAN));
    try {
      const builder = new ArchiveBuilder(await recordKinds(), records, this.report.losses, this.time);
      const { survey, users } = await this.readInto(builder);
      const projects = [...survey.projects.values()].map(({ key, name, issues }) => ({
        ...{ key, name, issues },
        ...{ wikis: 0, documents: 0 },
      }));
      return { projects, users, requests: 0, seconds: 0 };
    } finally {
      records.close();
      // An import that has been interrupted has files there.
      await rmdir(this.options.spool).catch(() => undefined);
    }
  }

  async read(builder: ArchiveBuilder): Promise<void> {
    await this.readInto(builder);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async readInto(builder: ArchiveBuilder): Promise<{ survey: Survey; users: number }> {
    const { map, options, time } = this;
    const people = new CsvPeople(builder);
    const chosen = options.projects && new Set(options.projects);
    const survey = new Survey(builder, map, people, chosen);
    for await (const row of this.rows('rows', 0)) survey.add(row);
    const missing = options.projects?.find((key) => !survey.projects.has(key));
    if (missing !== undefined)
      throw new SourceError(`There is no issue of the project ${missing} in ${this.path}.`);
    if (survey.issues === 0) throw new SourceError(`There is no issue in ${this.path}.`);
    const values = new ValueReader(map);
    const others = new SourcePeople(builder, time);
    const { environment } = options;
    const issues = new IssueReader({ builder, map, environment, survey, people, others, values, time });
    for await (const row of this.rows('issues', survey.rows)) issues.add(row);
    issues.end();
    people.addAll(time);
    if ((await stateOf(this.found.paths)).state !== this.found.state)
      throw new SourceError(`${this.path} has changed while it was read: repeat the command.`);
    this.noteLosses(survey, values);
    return { survey, users: people.count };
  }

  /** Yields the rows of the files. @param total that is reported; 0 if unknown */
  private async *rows(what: string, total: number): AsyncGenerator<Row> {
    const { map, options, report, found, path } = this;
    const { encoding, delimiter } = map;
    const files = found.paths.map((one) => ({ path: one, encoding, delimiter }));
    let done = 0;
    for await (const row of readRows(files, map)) {
      options.signal?.throwIfAborted();
      yield row;
      if (++done % ROWS_PER_REPORT === 0) report.onProgress?.({ what: `${what} of ${path}`, done, total });
    }
  }

  private noteLosses(survey: Survey, values: ValueReader): void {
    const { losses } = this.report;
    for (const loss of this.losses) losses.note(loss);
    if (values.assumesUtc)
      losses.note('The time zone of the times, which were taken as UTC: timeZone in a map changes that');
    const names = [...survey.unnamed];
    const more = names.length > MAX_NAMED_COLUMNS ? ` and ${names.length - MAX_NAMED_COLUMNS} more` : '';
    if (names.length > 0) {
      const shown = names.slice(0, MAX_NAMED_COLUMNS).map((name) => JSON.stringify(name));
      losses.note(`Columns that the map does not name: ${shown.join(', ')}${more}`);
    }
  }
}

/** @throws SourceError with a map that can be used, because there is none */
async function refuse(path: string, { paths: [first = path] }: FoundFiles): Promise<never> {
  const map = minimalMap(path, await readHeader({ path: first }));
  throw new SourceError(
    `A map is needed that says what the columns are: use --map with a file such as this one.\n\n${map}`,
  );
}

/** Returns the files of a path. @throws SourceError if there are none */
async function findFiles(path: string): Promise<FoundFiles> {
  if (path === '') throw new SourceError('The path of a CSV file is needed, such as csv:issues.csv.');
  const found = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) throw new SourceError(`There is no file ${path}.`);
    throw error;
  });
  if (!found.isDirectory()) return stateOf([path]);
  const names = (await readdir(path)).filter((name) => extname(name).toLowerCase() === EXTENSION);
  if (names.length === 0) throw new SourceError(`There is no file ${join(path, `*${EXTENSION}`)}.`);
  return stateOf(names.sort().map((name) => join(path, name)));
}

async function stateOf(paths: readonly string[]): Promise<FoundFiles> {
  const stats = await Promise.all(paths.map((path) => stat(path)));
  return {
    paths,
    time: Math.max(...stats.map(({ mtimeMs }) => Math.floor(mtimeMs))),
    state: stats.map(({ size, mtimeMs }) => `${size} ${mtimeMs}`).join('\n'),
  };
}

export const csvKind: SourceKind = {
  form: 'csv:FILE',
  accepts: (from) => from.startsWith(CSV),
  open: (from, options, report) => CsvSource.open(from, options, report),
};

export const jiraKind: SourceKind = {
  form: 'jira:FILE.csv',
  accepts: (from) => from.startsWith(JIRA),
  open: (from, options, report) => CsvSource.open(from, options, report),
};
