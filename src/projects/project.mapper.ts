import { columnsOf } from '../database/statements';
import { type ProjectDto } from './dto/project.dto';

const FLAGS = [
  'chartEnabled',
  'useResolvedForChart',
  'subtaskingEnabled',
  'grandchildIssueEnabled',
  'projectLeaderCanEditProjectLeader',
  'useWiki',
  'useDocument',
  'useFileSharing',
  'useWikiTreeView',
  'useSubversion',
  'useGit',
  'useOriginalImageSizeAtWiki',
  'useDevAttributes',
  'archived',
] as const;

type Flag = (typeof FLAGS)[number];

/** A project as read from the database, where a flag may be a number. */
export type ProjectRow = Omit<ProjectDto, Flag> & Record<Flag, number | boolean>;

/** The columns of the project `p` that the wire shows, as `ProjectRow` names them. */
export const PROJECT_COLUMNS = columnsOf('p', [
  'id',
  'projectKey',
  'name',
  ...FLAGS,
  'textFormattingRule',
  'displayOrder',
]);

/** A project as the wire shows it. */
export const toProjectDto = (row: ProjectRow): ProjectDto => ({
  id: row.id,
  projectKey: row.projectKey,
  name: row.name,
  chartEnabled: Boolean(row.chartEnabled),
  useResolvedForChart: Boolean(row.useResolvedForChart),
  subtaskingEnabled: Boolean(row.subtaskingEnabled),
  grandchildIssueEnabled: Boolean(row.grandchildIssueEnabled),
  projectLeaderCanEditProjectLeader: Boolean(row.projectLeaderCanEditProjectLeader),
  useWiki: Boolean(row.useWiki),
  useDocument: Boolean(row.useDocument),
  useFileSharing: Boolean(row.useFileSharing),
  useWikiTreeView: Boolean(row.useWikiTreeView),
  useSubversion: Boolean(row.useSubversion),
  useGit: Boolean(row.useGit),
  useOriginalImageSizeAtWiki: Boolean(row.useOriginalImageSizeAtWiki),
  useDevAttributes: Boolean(row.useDevAttributes),
  textFormattingRule: row.textFormattingRule,
  archived: Boolean(row.archived),
  displayOrder: row.displayOrder,
});
