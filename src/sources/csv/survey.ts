import { PROJECT_KEY } from '../../projects/project-key';
import { type ArchiveBuilder } from '../archive-builder';
import { SourceError } from '../source.error';
import { type CsvMap } from './csv-map';
import { type CsvPeople } from './csv-people';
import { FieldFacts } from './field-facts';
import { type Cell, quoted, type Row } from './row';
import { parseIssueKey, readIssueKey, readIssueNumber } from './values';

const MAX_PROJECTS = 1000;
/** The custom fields of a project beyond which no facts are collected. */
const MAX_FIELDS = 1000;

/** The kinds under which the spool has what the first reading of the files finds. */
const KIND = {
  row: '#csv row',
  issue: '#csv issue',
  id: '#csv id',
  key: '#csv key',
  number: '#csv number',
  child: '#csv child',
} as const;

/** A project of the files. */
export interface SurveyedProject {
  id: number;
  key: string;
  name: string;
  issues: number;
  fields: Map<string, FieldFacts>;
}

/** A row that becomes an issue. */
export interface SurveyedIssue {
  id: number;
  number: number;
  project: string;
}

/** Where a row belongs. */
interface Place {
  projectKey: string;
  /** Undefined if issues get their numbers in the order of the file. */
  number?: number;
  cell?: Cell;
}

/** The first reading of the files: which issues there are, with which numbers and parents, and what their custom fields hold. */
export class Survey {
  readonly projects = new Map<string, SurveyedProject>();
  /** The columns without a use that have values, by their names. */
  readonly unnamed = new Set<string>();
  /** How many rows have been read, with those that are left out. */
  rows = 0;
  private readonly lastNumbers = new Map<string, number>();
  private hasIds = false;

  /** @param chosen keys of projects; all by default */
  constructor(
    private readonly builder: ArchiveBuilder,
    private readonly map: CsvMap,
    private readonly people: CsvPeople,
    private readonly chosen?: ReadonlySet<string>,
  ) {}

  /** Returns the number of issues. */
  get issues(): number {
    return [...this.projects.values()].reduce((sum, { issues }) => sum + issues, 0);
  }

  /** Reads a row. @throws SourceError that names the place, if it cannot be an issue */
  add(row: Row): void {
    const ordinal = ++this.rows;
    const place = this.placeOf(row);
    if (this.chosen && !this.chosen.has(place.projectKey)) return;
    if (row.text('private') !== '') {
      this.builder.losses.note('Issues whose visibility is restricted', row.text('key') || row.place);
      return;
    }
    for (const header of row.unnamed()) this.unnamed.add(header);
    const project = this.projectOf(row, place.projectKey);
    project.issues++;
    const id = this.builder.newId('issue');
    const issue = { id, number: this.numberOf(row, place, id), project: project.key };
    this.builder.records.add(KIND.row, [ordinal], issue);
    this.addReferences(row, issue);
    for (const field of ['creator', 'updater', 'assignee'] as const) {
      const person = row.person(field);
      if (person) this.people.learn(person);
    }
    for (const custom of row.layout.customs) {
      const cells = row.custom(custom);
      if (cells.length === 0) continue;
      const facts = project.fields.get(custom.name) ?? new FieldFacts(custom);
      if (project.fields.size < MAX_FIELDS) project.fields.set(custom.name, facts);
      facts.add(row, cells);
    }
  }

  /** Returns the issue of a row, by the place of the row among all, from 1; undefined if it is left out. */
  issueAt(ordinal: number): SurveyedIssue | undefined {
    return this.builder.records.find(KIND.row, [ordinal]) as SurveyedIssue | undefined;
  }

  /** Returns the id of the parent that the files give an issue, in whatever project; null if the parent is not in them. */
  parentOf(id: number): number | null | undefined {
    const { records } = this.builder;
    const found = records.find(KIND.issue, [id]) as
      | { project: string; key: string; external: string; parents: string[] }
      | undefined;
    if (!found) return undefined;
    // One column may have the id of the parent, and another the key.
    for (const name of found.parents) {
      const parent = this.resolve(name, found.project);
      if (parent !== undefined) return parent;
    }
    if (found.parents.length > 0) return null;
    for (const name of [found.key, found.external].filter((one) => one !== '')) {
      const child = records.find(KIND.child, [name.toUpperCase()]);
      if (child) return child.parent as number;
    }
    return undefined;
  }

  /** Returns the key of the project of an issue. */
  projectOfIssue(id: number): string | undefined {
    return this.builder.records.find(KIND.issue, [id])?.project as string | undefined;
  }

  /** Returns the id of an issue by its id in the file, by its key or by its number in a project. */
  resolve(name: string, projectKey: string): number | undefined {
    const { records } = this.builder;
    const idOf = (kind: string, key: [string, number?]): number | undefined =>
      records.find(kind, key)?.id as number | undefined;
    const byName = idOf(KIND.id, [name]) ?? idOf(KIND.key, [name.toUpperCase()]);
    if (byName !== undefined) return byName;
    const key = parseIssueKey(name);
    if (key) return idOf(KIND.number, [key.projectKey, key.number]);
    const number = /^#?(\d{1,10})$/.exec(name)?.[1];
    // A number may be the id of an issue that is not in the files.
    const isId = this.hasIds || this.map.numbersAreIds;
    return number === undefined || isId ? undefined : idOf(KIND.number, [projectKey, Number(number)]);
  }

  /** Finds the project of a row, and its number if a column gives one. */
  private placeOf(row: Row): Place {
    const keyCell = row.cell('key');
    const numberCell = row.cell('number');
    const key = keyCell && readIssueKey(row, keyCell);
    const given = row.cell('projectKey');
    const projectKey = this.map.project?.key ?? given?.text ?? key?.projectKey;
    if (projectKey === undefined)
      throw new SourceError(`${row.place}: no column says which project the issue belongs to.`);
    if (!PROJECT_KEY.test(projectKey)) {
      const what = `${quoted(projectKey)} is no key of a project: 1 to 25 capital letters, digits or underscores, a letter first`;
      throw given ? row.error(given.column, what) : new SourceError(`${row.place}: ${what}.`);
    }
    const number = numberCell ? readIssueNumber(row, numberCell) : key?.number;
    const cell = numberCell ?? keyCell;
    return { projectKey, ...(number !== undefined && cell && { number, cell }) };
  }

  private numberOf(row: Row, { projectKey, number, cell }: Place, id: number): number {
    if (number === undefined && (row.gives('number') || row.gives('key')))
      throw new SourceError(`${row.place}: the issue has no number.`);
    const next = number ?? (this.lastNumbers.get(projectKey) ?? 0) + 1;
    this.lastNumbers.set(projectKey, next);
    const isNew = this.builder.records.add(KIND.number, [projectKey, next], { id, place: row.place });
    if (isNew) return next;
    const before = this.builder.records.find(KIND.number, [projectKey, next])?.place as string;
    const what = `${projectKey}-${next} is already that of ${before}`;
    throw cell ? row.error(cell.column, what) : new SourceError(`${row.place}: ${what}.`);
  }

  private projectOf(row: Row, key: string): SurveyedProject {
    const known = this.projects.get(key);
    if (known) return known;
    if (this.projects.size >= MAX_PROJECTS)
      throw new SourceError(`${row.place}: the file has more than ${MAX_PROJECTS} projects.`);
    const name = this.map.project?.name ?? (row.text('projectName') || key);
    const project = {
      id: this.builder.newId('project'),
      key,
      name,
      issues: 0,
      fields: new Map<string, FieldFacts>(),
    };
    this.projects.set(key, project);
    return project;
  }

  private addReferences(row: Row, { id, project }: SurveyedIssue): void {
    const { records } = this.builder;
    const external = row.cell('id');
    const key = row.text('key').toUpperCase();
    if (external && !records.add(KIND.id, [external.text], { id }))
      throw row.error(external.column, `${quoted(external.text)} is already that of another row`);
    this.hasIds ||= external !== undefined;
    if (key !== '') records.add(KIND.key, [key], { id });
    for (const { text } of row.cells('subtasks'))
      records.add(KIND.child, [text.toUpperCase()], { parent: id });
    records.add(KIND.issue, [id], {
      project,
      key,
      external: external?.text ?? '',
      parents: row.cells('parent').map(({ text }) => text),
    });
  }
}
