import { type ArchiveBuilder } from '../archive-builder';
import { type SourceMember } from '../model';
import { colorAt, standardStatuses, USUAL_SWITCHES } from '../new-project';

/** The type of issues that have none at the source. */
export const USUAL_TYPE = 'Task';
/** The priority of all issues, because the source has none. */
export const NORMAL_PRIORITY = 3;

/** What a source says of a repository's project. */
export interface ForgeProject {
  id: number;
  projectKey: string;
  name: string;
  archived: boolean;
  created: number;
}

/** The settings of a project: issue types, categories and versions are added when the first issue with them is. */
export class ProjectSettings {
  private readonly types = new Map<string, number>();
  private readonly categories = new Map<string, number>();
  private versions = 0;

  constructor(
    private readonly builder: ArchiveBuilder,
    readonly project: ForgeProject,
  ) {}

  /** Adds the project with its statuses, and the usual issue type. */
  add(members: readonly SourceMember[]): void {
    const { id, projectKey, name, archived, created } = this.project;
    this.builder.project(
      {
        ...USUAL_SWITCHES,
        ...{ id, projectKey, name, archived, displayOrder: 0 },
        textFormattingRule: 'markdown',
      },
      created,
      members,
      [],
    );
    for (const status of standardStatuses(id)) this.builder.status(status);
    this.typeOf(USUAL_TYPE);
  }

  /** Returns the id of the issue type with a name. */
  typeOf(name: string): number {
    const known = this.types.get(name);
    if (known !== undefined) return known;
    const id = this.builder.newId('issueType');
    const displayOrder = this.types.size;
    this.types.set(name, id);
    this.builder.issueType({
      ...{ id, projectId: this.project.id, name, displayOrder, color: colorAt(0) },
      ...{ templateSummary: null, templateDescription: null },
    });
    return id;
  }

  /** Returns the id of the category of a label. Labels are told apart by their names, because some have no id. */
  categoryOf(name: string): number {
    const known = this.categories.get(name);
    if (known !== undefined) return known;
    const id = this.builder.newId('category');
    this.builder.category({ id, projectId: this.project.id, name, displayOrder: this.categories.size });
    this.categories.set(name, id);
    return id;
  }

  /** Adds the version of a milestone, unless it is there; returns its id. Days are `yyyy-MM-dd`. */
  version(milestone: {
    id: number;
    title: string;
    description: string;
    startDate: string | null;
    dueDate: string | null;
    isClosed: boolean;
  }): number {
    const {
      id,
      title: name,
      description,
      startDate,
      dueDate: releaseDueDate,
      isClosed: archived,
    } = milestone;
    if (!this.builder.has('version', id)) {
      const displayOrder = this.versions++;
      this.builder.version({
        ...{ id, projectId: this.project.id, name, displayOrder },
        ...{ description, startDate, releaseDueDate, archived },
      });
    }
    return id;
  }
}
