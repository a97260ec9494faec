import { foldName } from '../../project-settings/fold-name';
import { type ArchiveBuilder } from '../archive-builder';
import { type SourceError } from '../source.error';
import { type SurveyedProject } from './survey';
import { firstCharacters } from './texts';

const MAX_NAME = 255;
/** As many as any installation allows. */
const MAX_SETTINGS = 5000;
/** Between Resolved and Closed, in the order of statuses. */
const MAX_STATUSES = 900;
const STANDARD_STATUSES = [
  { id: 1, name: 'Open', color: '#ed8077', displayOrder: 1000 },
  { id: 2, name: 'In Progress', color: '#4488c5', displayOrder: 2000 },
  { id: 3, name: 'Resolved', color: '#5eb5a6', displayOrder: 3000 },
  { id: 4, name: 'Closed', color: '#a1af2f', displayOrder: 4000 },
] as const;
const COLORS = [
  '#7ea800',
  '#990000',
  '#ff9200',
  '#2779ca',
  '#934981',
  '#007e9a',
  '#814fbc',
  '#666665',
] as const;
const SWITCHES = {
  chartEnabled: false,
  useResolvedForChart: false,
  subtaskingEnabled: true,
  grandchildIssueEnabled: false,
  projectLeaderCanEditProjectLeader: false,
  useWiki: true,
  useDocument: false,
  useFileSharing: false,
  useWikiTreeView: true,
  useSubversion: false,
  useGit: true,
  useOriginalImageSizeAtWiki: false,
  useDevAttributes: false,
  archived: false,
} as const;

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
    for (const status of STANDARD_STATUSES) {
      builder.status({ ...status, projectId: project.id });
      this.statuses.set(foldName(status.name), status.id);
    }
  }

  /** Returns the id of a status; Open to Closed are those of every project. */
  status(name: string, refuse: Refuse): number {
    return this.setting(this.statuses, MAX_STATUSES, name, refuse, (setting, index) => {
      const id = this.builder.newId('issueStatus');
      const place = index - STANDARD_STATUSES.length;
      this.builder.status({ ...setting, id, color: colorAt(place), displayOrder: 3001 + place });
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
      { ...SWITCHES, id, projectKey, name, textFormattingRule, displayOrder },
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

const colorAt = (index: number): string => COLORS[index % COLORS.length] as string;
