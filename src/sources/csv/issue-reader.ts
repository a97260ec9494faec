import { foldName } from '../../project-settings/fold-name';
import { grouped } from '../../quantities';
import { SourceError } from '../source.error';
import { CommentReader } from './comment-reader';
import { type IssueContext } from './context';
import { type MappedField } from './csv-map';
import { type GivenPerson } from './csv-people';
import { CustomFields } from './custom-fields';
import { type FieldName } from './fields';
import { toMarkdown } from './jira-markup';
import { NORMAL_PRIORITY, PRIORITY_IDS, RESOLUTION_IDS } from './known-values';
import { ProjectContent } from './project-content';
import { type Cell, quoted, type Row } from './row';
import { type SurveyedIssue } from './survey';
import { firstCharacters, oneLine } from './texts';

/** The longest description, in characters. */
const MAX_DESCRIPTION = 100_000;
const MAX_SUMMARY = 255;
const DEFAULT_TYPE = 'Task';
const DEFAULT_STATUS = 'Open';

interface ReadProject {
  content: ProjectContent;
  fields: CustomFields;
}

/** The second reading of the files: adds an issue for each row, with its comments, relations and watchings. */
export class IssueReader {
  private readonly projects = new Map<string, ReadProject>();
  private readonly comments: CommentReader;
  private rows = 0;
  private unknownId?: number;

  constructor(private readonly context: IssueContext) {
    this.comments = new CommentReader(context, () => this.unknown());
  }

  /** Adds the issue of a row. @throws SourceError that names the place of a value that cannot be read */
  add(row: Row): void {
    const issue = this.context.survey.issueAt(++this.rows);
    if (!issue) return;
    const project = this.project(issue.project);
    const { builder } = this.context;
    const times = this.times(row);
    const creator = row.person('creator');
    const createdUserId = creator ? this.member(project, creator) : this.unknown();
    const comments = this.comments.read(row, issue, times.updated ?? times.created);
    const last = comments.at(-1);
    const updater = row.person('updater');
    project.content.existedAt(Math.min(times.created, comments[0]?.created ?? Infinity));
    const { id, number: keyId } = issue;
    const { parentIssueId, relatedIds } = this.relations(row, issue);
    const updated = Math.max(times.created, times.updated ?? last?.created ?? 0);
    builder.issue({
      ...{ id, keyId, parentIssueId, createdUserId, updated },
      ...this.settings(row, project.content),
      ...this.numbers(row),
      projectId: this.projectId(issue),
      created: times.created,
      updatedUserId: updater ? this.member(project, updater) : (last?.createdUserId ?? createdUserId),
      assigneeId: this.assignee(row, project),
      summary: this.summary(row),
      description: this.description(row),
      customValues: project.fields.valuesOf(row, this.context.values),
      ...{ files: [], sharedFileIds: [], stars: [] },
    });
    for (const comment of comments) {
      builder.comment('issue', id, comment);
      if (comment.createdUserId !== this.unknownId) project.content.addMember(comment.createdUserId);
    }
    for (const [place, other] of relatedIds.entries())
      builder.relatedIssues(id, other, times.created + place);
    for (const person of row.people('watchers'))
      this.watching(issue, this.context.people.idOf(person), updated);
    this.noteLosses(row);
    builder.endSubject('issue', id);
  }

  /** Adds the projects. */
  end(): void {
    const rule = this.context.map.textFormat === 'backlog' ? 'backlog' : 'markdown';
    for (const [index, { content }] of [...this.projects.values()].entries()) content.end(index, rule);
  }

  private project(key: string): ReadProject {
    const known = this.projects.get(key);
    if (known) return known;
    const { builder, survey, environment } = this.context;
    const surveyed = survey.projects.get(key);
    if (!surveyed) throw new Error(`The project ${key} has not been surveyed`);
    const content = new ProjectContent(builder, surveyed);
    const project = { content, fields: new CustomFields(builder, surveyed, environment) };
    this.projects.set(key, project);
    return project;
  }

  private projectId({ project }: SurveyedIssue): number {
    return this.context.survey.projects.get(project)?.id as number;
  }

  private times(row: Row): { created: number; updated?: number } {
    const { values, time } = this.context;
    const created = row.cell('created');
    const updated = row.cell('updated');
    return {
      created: created ? values.time(row, created) : updated ? values.time(row, updated) : time,
      ...(updated && { updated: values.time(row, updated) }),
    };
  }

  private settings(row: Row, project: ProjectContent) {
    const named = (field: MappedField, otherwise: string): string =>
      this.mapped(field, row.text(field)) || otherwise;
    const idsOf = (
      field: FieldName,
      idOf: (name: string, refuse: (what: string) => SourceError) => number,
    ): number[] => [
      ...new Set(row.cells(field).map(({ text, column }) => idOf(text, (what) => row.error(column, what)))),
    ];
    const refuse = (field: FieldName) => (what: string) => {
      const cell = row.cell(field);
      return cell ? row.error(cell.column, what) : new SourceError(`${row.place}: ${what}.`);
    };
    return {
      issueTypeId: project.issueType(named('issueType', DEFAULT_TYPE), refuse('issueType')),
      statusId: project.status(named('status', DEFAULT_STATUS), refuse('status')),
      priorityId: this.known('priority', row, PRIORITY_IDS) ?? NORMAL_PRIORITY,
      resolutionId: this.known('resolution', row, RESOLUTION_IDS) ?? null,
      categoryIds: idsOf('categories', (...name) => project.category(...name)),
      versionIds: idsOf('versions', (...name) => project.version(...name)),
      milestoneIds: idsOf('milestones', (...name) => project.version(...name)),
    };
  }

  private mapped(field: MappedField, text: string): string {
    return this.context.map.values[field].get(foldName(text)) ?? text;
  }

  /** Returns the id of a value of a fixed list. */
  private known(
    field: 'priority' | 'resolution',
    row: Row,
    ids: ReadonlyMap<string, number>,
  ): number | undefined {
    const name = this.mapped(field, row.text(field));
    if (name === '') return undefined;
    const id = ids.get(foldName(name));
    if (id === undefined) {
      const loss =
        field === 'priority'
          ? 'Priorities that the service does not have'
          : 'Resolutions that the service does not have';
      this.context.builder.losses.note(loss, `${quoted(name)} in ${row.place}`);
    }
    return id;
  }

  private numbers(row: Row) {
    const { values } = this.context;
    const of = <T>(field: FieldName, read: (cell: Cell) => T): T | null => {
      const cell = row.cell(field);
      return cell ? read(cell) : null;
    };
    return {
      startDate: of('startDate', (cell) => values.day(row, cell)),
      dueDate: of('dueDate', (cell) => values.day(row, cell)),
      estimatedHours: of('estimatedHours', (cell) => values.hours(row, cell)),
      actualHours: of('actualHours', (cell) => values.hours(row, cell)),
    };
  }

  private summary(row: Row): string {
    const summary = oneLine(row.text('summary'));
    if (summary === '') throw new SourceError(`${row.place}: the issue has no summary.`);
    const shown = firstCharacters(summary, MAX_SUMMARY);
    if (shown !== summary)
      this.context.builder.losses.note(`Summaries beyond ${MAX_SUMMARY} characters`, row.place);
    return shown;
  }

  private description(row: Row): string {
    const { map, builder } = this.context;
    const text = row.text('description');
    const converted = map.textFormat === 'jira' ? toMarkdown(text) : text;
    const shown = firstCharacters(converted, MAX_DESCRIPTION);
    if (shown !== converted)
      builder.losses.note(`Descriptions beyond ${grouped(MAX_DESCRIPTION)} characters`, row.place);
    return shown;
  }

  private assignee(row: Row, project: ReadProject): number | null {
    const person = row.person('assignee');
    return person ? this.member(project, person) : null;
  }

  /** Returns the id of a person who takes part in a project. */
  private member({ content }: ReadProject, person: GivenPerson): number {
    const id = this.context.people.idOf(person);
    content.addMember(id);
    return id;
  }

  /** Returns the author of what has none, who is noted as a loss once. */
  private unknown(): number {
    return (this.unknownId ??= this.context.others.unknownId());
  }

  /**
   * Finds the parent and the related issues. The service has two levels, within a project: an issue below a child, or in another project than
   * its parent, is related to it instead.
   */
  private relations(
    row: Row,
    { id, project }: SurveyedIssue,
  ): { parentIssueId: number | null; relatedIds: number[] } {
    const { survey, builder } = this.context;
    const related = new Set<number>();
    for (const { text } of row.cells('related')) {
      const other = survey.resolve(text, project);
      if (other === undefined) builder.losses.note('Relations to issues that are not in the file', text);
      else related.add(other);
    }
    const parent = survey.parentOf(id);
    if (parent === null) builder.losses.note('Parents that are not in the file', row.place);
    if (parent === null || parent === undefined || parent === id)
      return { parentIssueId: null, relatedIds: [...related] };
    if (this.isTop(parent) && survey.projectOfIssue(parent) === project)
      return { parentIssueId: parent, relatedIds: [...related] };
    builder.losses.note(
      'Parents in other projects or with a parent, to which the issue is only related',
      row.place,
    );
    return { parentIssueId: null, relatedIds: [...related.add(parent)] };
  }

  /** Whether an issue has no parent that it can keep. */
  private isTop(id: number): boolean {
    const { survey } = this.context;
    const parent = survey.parentOf(id);
    return (
      parent === undefined ||
      parent === null ||
      parent === id ||
      survey.projectOfIssue(parent) !== survey.projectOfIssue(id)
    );
  }

  private watching({ id: issueId }: SurveyedIssue, userId: number, created: number): void {
    const { builder } = this.context;
    // Two names of a list may be one person.
    if (!builder.records.add('#csv watching', [issueId, userId], {})) return;
    builder.watching({
      ...{ id: builder.newId('watching'), userId, issueId, created, updated: created },
      note: '',
      resourceAlreadyRead: true,
    });
  }

  private noteLosses(row: Row): void {
    for (const { text, column } of row.cells('ignore')) {
      if (column.use.loss !== undefined)
        this.context.builder.losses.note(column.use.loss, quoted(oneLine(text)));
    }
  }
}
