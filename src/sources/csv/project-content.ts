import { foldName } from '../../project-settings/fold-name';
import { STANDARD_STATUSES } from '../../project-settings/standard-status';
import { displayOrderAt } from '../../project-settings/status-order';
import { type ArchiveBuilder } from '../archive-builder';
import { colorAt, standardStatuses, USUAL_SWITCHES } from '../new-project';
import { type SourceError } from '../source.error';
import { type SurveyedProject } from './survey';
import { firstCharacters } from './texts';

const MAX_NAME = 255;
/** No installation allows more. */
const MAX_SETTINGS = 5000;
/** Between Resolved and Closed, in the order of statuses. */
const FIRST_ADDED_ORDER = displayOrderAt(2) + 1;
const MAX_STATUSES = 900;
/** Returns the error about a value of the row that is being read. */
export type Refuse = (what: string) => SourceError;

/** A project that issues are added to: its settings by their names, which regardless of case are one, and its people. */
export class ProjectContent {
  private readonly types = new Map<string, number>();
  private readonly statuses = new Map<string, number>();
  private readonly categories = new Map<string, number>();
  private readonly versions = new Map<string, number>();
  private readonly memberIds = new Set<number>();
  private created = Infinity;

  constructor(
    private readonly builder: ArchiveBuilder,
    private readonly project: SurveyedProject,
  ) {
    for (const status of standardStatuses(project.id)) {
      builder.status(status);
      this.statuses.set(foldName(status.name), status.id);
    }
  }

  /** Returns the id of a status; Open to Closed are those of every project. */
  status(name: string, refuse: Refuse): number {
    return this.setting(this.statuses, MAX_STATUSES, name, refuse, (setting, index) => {
      const id = this.builder.newId('issueStatus');
      const place = index - STANDARD_STATUSES.length;
      this.builder.status({ ...setting, id, color: colorAt(place), displayOrder: FIRST_ADDED_ORDER + place });
      return id;
    });
  }

  issueType(name: string, refuse: Refuse): number {
    return this.setting(this.types, MAX_SETTINGS, name, refuse, (setting, index) => {
      const id = this.builder.newId('issueType');
      const templates = { templateSummary: null, templateDescription: null };
      this.builder.issueType({ ...setting, ...templates, id, color: colorAt(index), displayOrder: index });
      return id;
    });
  }

  category(name: string, refuse: Refuse): number {
    return this.setting(this.categories, MAX_SETTINGS, name, refuse, (setting, displayOrder) => {
      const id = this.builder.newId('category');
      this.builder.category({ ...setting, id, displayOrder });
      return id;
    });
  }

  /** Returns the id of a version, which milestones are too. */
  version(name: string, refuse: Refuse): number {
    return this.setting(this.versions, MAX_SETTINGS, name, refuse, (setting, displayOrder) => {
      const id = this.builder.newId('version');
      const rest = { description: '', startDate: null, releaseDueDate: null, archived: false };
      this.builder.version({ ...setting, ...rest, id, displayOrder });
      return id;
    });
  }

  /** Notes who is a member of the project. */
  addMember(userId: number): void {
    this.memberIds.add(userId);
  }

  /** Notes that the project was there at a time. */
  existedAt(time: number): void {
    this.created = Math.min(this.created, time);
  }

  /** Adds the project, when all of its issues have been added. */
  end(displayOrder: number, textFormattingRule: 'markdown' | 'backlog'): void {
    const { id, key: projectKey, name } = this.project;
    this.builder.project(
      { ...USUAL_SWITCHES, id, projectKey, name, textFormattingRule, displayOrder },
      this.created,
      [...this.memberIds].map((userId) => ({ userId, isAdministrator: false, isDirect: true })),
      [],
    );
  }

  private setting(
    known: Map<string, number>,
    most: number,
    name: string,
    refuse: Refuse,
    add: (setting: { projectId: number; name: string }, index: number) => number,
  ): number {
    const shown = firstCharacters(name.replace(/\s+/g, ' '), MAX_NAME);
    const key = foldName(shown);
    const existing = known.get(key);
    if (existing !== undefined) return existing;
    if (known.size >= most) throw refuse(`a project can have at most ${most} different values`);
    const id = add({ projectId: this.project.id, name: shown }, known.size);
    known.set(key, id);
    return id;
  }
}
