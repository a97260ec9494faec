import { basename } from 'node:path';
import { stringify } from 'yaml';
import { PROJECT_KEY } from '../../projects/project-key';
import { type FieldName } from './fields';

/** Names of columns that say which field they give, in small letters without spaces. */
const GUESSES: Readonly<Record<string, FieldName>> = {
  id: 'number',
  number: 'number',
  no: 'number',
  key: 'key',
  issuekey: 'key',
  summary: 'summary',
  subject: 'summary',
  title: 'summary',
  description: 'description',
  body: 'description',
  type: 'issueType',
  issuetype: 'issueType',
  tracker: 'issueType',
  status: 'status',
  state: 'status',
  priority: 'priority',
  resolution: 'resolution',
  assignee: 'assignee',
  owner: 'assignee',
  author: 'creator',
  creator: 'creator',
  reporter: 'creator',
  created: 'created',
  createdat: 'created',
  updated: 'updated',
  updatedat: 'updated',
  startdate: 'startDate',
  duedate: 'dueDate',
  due: 'dueDate',
  estimatedhours: 'estimatedHours',
  actualhours: 'actualHours',
  spenttime: 'actualHours',
  parent: 'parent',
  parentissue: 'parent',
  category: 'categories',
  categories: 'categories',
  labels: 'categories',
  tags: 'categories',
  version: 'versions',
  milestone: 'milestones',
  comment: 'comment',
  comments: 'comment',
};

/**
 * Returns a map with which a file can be read, made of its header: columns that it can guess, and the others ignored.
 * @param path of the file, whose name gives the key of the project
 */
export function minimalMap(path: string, header: readonly string[]): string {
  const names = [...new Set(header.map((name, index) => name.trim() || `column ${index + 1}`))];
  const columns = new Map<string, FieldName>();
  for (const name of names) {
    const guess = name.toLowerCase().replace(/[\s_-]+/g, '');
    const field = Object.hasOwn(GUESSES, guess) ? GUESSES[guess] : undefined;
    const isNew = field === undefined || ![...columns.values()].includes(field);
    columns.set(name, field !== undefined && isNew ? field : 'ignore');
  }
  const [first] = names;
  if (first !== undefined && ![...columns.values()].includes('summary')) columns.set(first, 'summary');
  const title = basename(path).replace(/\.[^.]*$/, '');
  return stringify({
    version: 1,
    project: { key: projectKeyFor(title), name: title || 'Imported' },
    columns,
  });
}

/** Returns a key of a project that resembles a name. */
export function projectKeyFor(name: string): string {
  const key = name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^[^A-Z]+|_+$/g, '')
    .slice(0, 25);
  return PROJECT_KEY.test(key) ? key : 'IMPORTED';
}
