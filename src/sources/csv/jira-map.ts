import { type CsvMap, settingsOf, valuesOf, type WrittenMap } from './csv-map';
import { type ColumnUse } from './fields';

/** The columns of Jira's export, in lower case: they differ between its versions and products in their capitals. */
const COLUMNS: Readonly<Record<string, ColumnUse>> = {
  'issue key': { field: 'key' },
  'issue id': { field: 'id' },
  'project key': { field: 'projectKey' },
  'project name': { field: 'projectName' },
  summary: { field: 'summary' },
  description: { field: 'description' },
  'issue type': { field: 'issueType' },
  status: { field: 'status' },
  priority: { field: 'priority' },
  resolution: { field: 'resolution' },
  // The reporter is who asked for it; the creator may be a tool.
  reporter: { field: 'creator' },
  'reporter id': { field: 'creator', as: 'login' },
  assignee: { field: 'assignee' },
  'assignee id': { field: 'assignee', as: 'login' },
  watchers: { field: 'watchers' },
  created: { field: 'created' },
  updated: { field: 'updated' },
  'due date': { field: 'dueDate' },
  'custom field (start date)': { field: 'startDate' },
  'original estimate': { field: 'estimatedHours', unit: 'seconds' },
  'time spent': { field: 'actualHours', unit: 'seconds' },
  // Depending on the version, the id or the key of the parent.
  'parent id': { field: 'parent' },
  'parent key': { field: 'parent' },
  parent: { field: 'parent' },
  'custom field (epic link)': { field: 'parent' },
  'custom field (parent link)': { field: 'parent' },
  'sub-tasks': { field: 'subtasks', separator: ',' },
  'component/s': { field: 'categories' },
  components: { field: 'categories' },
  'affects version/s': { field: 'versions' },
  'affects versions': { field: 'versions' },
  'fix version/s': { field: 'milestones' },
  'fix versions': { field: 'milestones' },
  comment: { field: 'comment', pattern: '{time};{author};{text}' },
  comments: { field: 'comment', pattern: '{time};{author};{text}' },
  labels: { field: 'custom', name: 'Labels' },
  sprint: { field: 'custom', name: 'Sprint' },
  environment: { field: 'custom', name: 'Environment' },
  'security level': { field: 'private' },
  'custom field (story points)': { field: 'custom', name: 'Story Points', type: 'number' },
  'custom field (story point estimate)': { field: 'custom', name: 'Story point estimate', type: 'number' },
  attachment: { field: 'ignore', loss: 'Files, which the export only names' },
  'log work': { field: 'ignore', loss: 'Entries of work logs, other than their sum' },
  'custom field (approvals)': { field: 'ignore' },
  'custom field (development)': { field: 'ignore' },
  'custom field (rank)': { field: 'ignore' },
};

/** What other columns say as well, or what is about the person who exports. */
const REDUNDANT: ReadonlySet<string> = new Set([
  'creator',
  'creator id',
  'last viewed',
  'parent status',
  'parent summary',
  'project description',
  'project lead',
  'project lead id',
  'project type',
  'project url',
  'remaining estimate',
  'status category',
  'status category changed',
  'watchers id',
  'work ratio',
  'σ original estimate',
  'σ remaining estimate',
  'σ time spent',
]);

const LINK = /^(?:inward|outward) issue link \(.*\)$/;
const CUSTOM = /^custom field \((.*)\)$/i;

const VALUES = {
  status: {
    'To Do': 'Open',
    Backlog: 'Open',
    New: 'Open',
    Reopened: 'Open',
    Done: 'Closed',
  },
  resolution: { Unresolved: 'None' },
} as const;

/** What no export of Jira has. */
export const JIRA_LOSSES = [
  'The history of changes, which the export does not have',
  'Whether only some groups could see a comment, which the export does not say',
  'The kinds of links between issues',
] as const;

/**
 * Returns the map of the form in which Jira exports all fields.
 * @param written a map that names further columns, replaces some, or says how dates are written
 */
export function jiraMapOf(written?: WrittenMap): CsvMap {
  const settings = settingsOf(written ?? { version: 1, columns: new Map() });
  return {
    ...settings,
    textFormat: written?.textFormat ?? 'jira',
    numbersAreIds: true,
    values: valuesOf(written ?? {}, VALUES),
    useOf: (header) => written?.columns.get(header) ?? jiraUseOf(header),
    required: [...(written?.columns.keys() ?? [])],
  };
}

/** Returns what a column of Jira's export is used for. */
function jiraUseOf(header: string): ColumnUse | undefined {
  const name = header.toLowerCase();
  const use = Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined;
  if (use) return use;
  if (REDUNDANT.has(name)) return { field: 'ignore' };
  if (LINK.test(name)) return { field: 'related' };
  const custom = CUSTOM.exec(header)?.[1]?.trim();
  return custom === undefined || custom === '' ? undefined : { field: 'custom', name: custom.slice(0, 255) };
}
