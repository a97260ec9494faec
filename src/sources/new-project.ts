import { STANDARD_STATUSES } from '../project-settings/standard-status';
import { displayOrderAt } from '../project-settings/status-order';
import { type SourceStatus } from './model';

/** The settings of a project whose source has none. */
export const USUAL_SWITCHES = {
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

/** Colours that the service gives issue types and statuses, in turn. */
const COLORS = ['#7ea800', '#990000', '#ff9200', '#2779ca', '#393939', '#007e9a', '#814fbc', '#f42858'];

export const colorAt = (index: number): string => COLORS[index % COLORS.length] as string;

/** Returns the statuses that every project has. */
export const standardStatuses = (projectId: number): SourceStatus[] =>
  STANDARD_STATUSES.map(({ standard, name, color }, index) => ({
    ...{ id: standard, projectId, name, color },
    displayOrder: displayOrderAt(index),
  }));
