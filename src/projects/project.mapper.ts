import { type ProjectRow } from './data/project.repository';
import { type ProjectDto } from './dto/project.dto';

/** Maps a project row to its API representation. */
export const toProjectDto = (row: ProjectRow): ProjectDto => ({
  id: row.id,
  projectKey: row.projectKey,
  name: row.name,
  chartEnabled: row.chartEnabled,
  useResolvedForChart: row.useResolvedForChart,
  subtaskingEnabled: row.subtaskingEnabled,
  grandchildIssueEnabled: row.grandchildIssueEnabled,
  projectLeaderCanEditProjectLeader: row.projectLeaderCanEditProjectLeader,
  useWiki: row.useWiki,
  useDocument: row.useDocument,
  useFileSharing: row.useFileSharing,
  useWikiTreeView: row.useWikiTreeView,
  useSubversion: row.useSubversion,
  useGit: row.useGit,
  useOriginalImageSizeAtWiki: row.useOriginalImageSizeAtWiki,
  useDevAttributes: row.useDevAttributes,
  textFormattingRule: row.textFormattingRule,
  archived: row.archived,
  displayOrder: row.displayOrder,
});
