import { STANDARD_STATUSES } from '../../project-settings/standard-status';
import { displayOrderAt } from '../../project-settings/status-order';
import { colorAt, standardStatuses } from '../new-project';
import { type Context, type KeyedProject } from './context';
import { ProjectFields } from './project-fields';
import { toDay } from './values';
import { type WireVersion } from './wire';

interface Named {
  id: number;
  name: string;
}

/** Statuses that a project adds are between Resolved and Closed. */
const FIRST_ADDED_ORDER = displayOrderAt(2) + 1;
const LAST_ADDED_ORDER = displayOrderAt(3) - 1;
const DEFAULT_TYPE = 'Task';

/**
 * The settings of a project in the archive. In Redmine, projects share statuses, trackers and custom fields, and versions if they are told
 * to; here, each project has its own. A status is added when an issue has it.
 */
export class ProjectSettings {
  readonly fields: ProjectFields;
  private readonly statusIds = new Map<number, number>();
  private readonly issueTypeIds = new Map<number, number>();
  private readonly versionIds = new Map<number, number>();
  private readonly versionNames = new Map<number, string>();
  private readonly categoryNames = new Map<number, string>();

  constructor(
    private readonly context: Context,
    private readonly project: KeyedProject,
    versions: readonly WireVersion[],
  ) {
    const { builder, people } = context;
    for (const status of standardStatuses(project.id)) builder.status(status);
    for (const tracker of project.trackers) this.issueTypeOf(tracker);
    if (project.trackers.length === 0) this.addIssueType(DEFAULT_TYPE);
    for (const category of project.issue_categories) this.categoryOf(category);
    for (const version of versions) this.addVersion(version);
    this.fields = new ProjectFields(context, project, this.issueTypeIds, {
      user: (id) => people.nameOf(id),
      version: (id) => this.versionNames.get(id),
    });
  }

  /** Returns the id of a status, as `SourceStatus` has it. */
  statusOf({ id, name }: Named): { statusId: number; resolutionId: number | null } {
    const { catalog, builder, losses } = this.context;
    const { standard, resolutionId, position } = catalog.status(id, name);
    if (standard !== undefined) {
      catalog.noteRenamed(losses, 'statuses', name, STANDARD_STATUSES[standard - 1]?.name ?? '');
      return { statusId: standard, resolutionId };
    }
    const known = this.statusIds.get(id);
    if (known !== undefined) return { statusId: known, resolutionId };
    const statusId = builder.newId('issueStatus');
    this.statusIds.set(id, statusId);
    builder.status({
      ...{ id: statusId, projectId: this.project.id, name, color: colorAt(position) },
      displayOrder: Math.min(FIRST_ADDED_ORDER + position, LAST_ADDED_ORDER),
    });
    return { statusId, resolutionId };
  }

  issueTypeOf({ id, name }: Named): number {
    const known = this.issueTypeIds.get(id);
    if (known !== undefined) return known;
    const issueTypeId = this.addIssueType(name);
    this.issueTypeIds.set(id, issueTypeId);
    return issueTypeId;
  }

  /** Returns the id of a category, which in Redmine belongs to one project. */
  categoryOf({ id, name }: Named): number {
    if (this.categoryNames.has(id)) return id;
    this.categoryNames.set(id, name);
    const displayOrder = this.categoryNames.size - 1;
    this.context.builder.category({ id, projectId: this.project.id, name, displayOrder });
    return id;
  }

  /** Returns the id of a version; one that is not listed may be that of another project. */
  versionOf({ id, name }: Named): number {
    return (
      this.versionIds.get(id) ??
      this.addVersion({ id, name, project: null, description: '', status: '', due_date: null })
    );
  }

  categoryName = (id: number): string | undefined => this.categoryNames.get(id);

  versionName = (id: number): string | undefined => this.versionNames.get(id);

  private addIssueType(name: string): number {
    const id = this.context.builder.newId('issueType');
    const displayOrder = this.issueTypeIds.size;
    this.context.builder.issueType({
      ...{ id, projectId: this.project.id, name, displayOrder, color: colorAt(displayOrder) },
      templateSummary: null,
      templateDescription: null,
    });
    return id;
  }

  private addVersion({ id, name, project, description, status, due_date }: WireVersion): number {
    const { builder } = this.context;
    const versionId = project?.id === this.project.id ? id : builder.newId('version');
    builder.version({
      ...{ id: versionId, projectId: this.project.id, name, description, startDate: null },
      displayOrder: this.versionIds.size,
      releaseDueDate: toDay(due_date),
      archived: status === 'closed',
    });
    this.versionIds.set(id, versionId);
    this.versionNames.set(id, name);
    return versionId;
  }
}
