/** What the fake Redmine has, as its REST API shows it: two projects that share statuses, trackers and custom fields. */

const HOUR_MS = 3_600_000;
const BEGIN = Date.UTC(2024, 0, 1, 8, 0, 0);

export const ISSUES = 60;
/** In every private text. */
export const SECRET = 'SECRET';
export const APP = 1;
export const TOOLS = 2;

type Json = Record<string, any>;

/** Returns a time, in hours after the first. */
export const timeAt = (hours: number): string =>
  new Date(BEGIN + hours * HOUR_MS).toISOString().replace('.000Z', 'Z');

const named = (id: number, name: string): Json => ({ id, name });

export const ADMIN = named(1, 'Redmine Admin');
const ANN = named(2, 'Ann Lee');
const BOB = named(3, 'Bob Ray');
const ANONYMOUS = named(4, 'Anonymous');
const DEVELOPERS = named(10, 'Developers');

export const USERS: readonly Json[] = [
  {
    id: 1,
    login: 'root',
    admin: true,
    firstname: 'Redmine',
    lastname: 'Admin',
    mail: 'root@example.com',
    status: 1,
  },
  {
    id: 2,
    login: 'ann',
    admin: false,
    firstname: 'Ann',
    lastname: 'Lee',
    mail: 'ann@example.com',
    status: 1,
  },
  { id: 5, login: '-cleo', admin: false, firstname: 'Cleo', lastname: '', mail: '', status: 1 },
  {
    id: 6,
    login: 'nobody',
    admin: false,
    firstname: 'No',
    lastname: 'Body',
    mail: 'no@example.com',
    status: 2,
  },
  {
    id: 3,
    login: 'bob',
    admin: false,
    firstname: 'Bob',
    lastname: 'Ray',
    mail: 'bob@example.com',
    status: 3,
  },
];

export const GROUPS: readonly Json[] = [{ ...DEVELOPERS, users: [named(2, 'Ann Lee'), named(5, 'Cleo')] }];

const STATUSES = [
  { id: 1, name: 'New', is_closed: false },
  { id: 2, name: 'In Progress', is_closed: false },
  { id: 3, name: 'Resolved', is_closed: false },
  { id: 4, name: 'Feedback', is_closed: false },
  { id: 5, name: 'Closed', is_closed: true },
  { id: 6, name: 'Rejected', is_closed: true },
];
const PRIORITIES: readonly Json[] = ['Low', 'Normal', 'High', 'Urgent', 'Immediate'].map((name, index) => ({
  ...named(index + 1, name),
  is_default: name === 'Normal',
  active: true,
}));
const TRACKERS = [named(1, 'Bug'), named(2, 'Feature')];

const field = (id: number, name: string, field_format: string, more: Json = {}): Json => ({
  ...{ id, name, field_format, customized_type: 'issue', is_required: false, multiple: false, visible: true },
  trackers: TRACKERS,
  ...more,
});
const FIELDS: readonly Json[] = [
  field(1, 'Severity', 'list', {
    possible_values: ['Low', 'High'].map((value) => ({ value, label: value })),
  }),
  field(2, 'Owner', 'user'),
  field(3, 'Parts', 'list', {
    multiple: true,
    possible_values: [{ value: 'a' }, { value: 'b' }, { value: 'c' }],
  }),
  field(4, 'Size', 'float'),
  field(5, 'Checked on', 'date'),
  field(6, 'Checked', 'bool'),
  field(7, 'Restricted', 'string', { visible: false }),
  field(8, 'Found in', 'version'),
  field(9, 'Reason', 'text'),
  field(10, 'Page', 'link'),
  field(11, 'Count', 'int', { trackers: [TRACKERS[1]] }),
];

const VERSION = {
  ...named(1, '1.0'),
  project: named(APP, 'The app'),
  description: 'First',
  status: 'closed',
  due_date: '2024-06-30',
};
const VERSIONS: Readonly<Record<number, Json[]>> = {
  [APP]: [
    VERSION,
    { ...named(2, '2.0'), project: named(APP, 'The app'), description: '', status: 'open', due_date: null },
  ],
  // It is shared with all projects.
  [TOOLS]: [VERSION],
};
const CATEGORY = named(1, 'Server');

export const PROJECTS: readonly Json[] = [
  {
    ...{
      id: APP,
      name: 'The app',
      identifier: 'my-app',
      description: 'About the app',
      status: 1,
      is_public: true,
    },
    ...{
      trackers: TRACKERS,
      issue_categories: [CATEGORY],
      issue_custom_fields: FIELDS.map(({ id, name }) => named(id, name)),
    },
    enabled_modules: ['issue_tracking', 'wiki', 'boards', 'time_tracking', 'news', 'files'].map((name, id) =>
      named(id + 1, name),
    ),
    ...{ created_on: timeAt(0), updated_on: timeAt(1) },
  },
  {
    ...{
      id: TOOLS,
      name: 'Old tools',
      identifier: 'old_tools',
      description: '',
      status: 5,
      is_public: false,
    },
    ...{
      trackers: [TRACKERS[0]],
      issue_categories: [],
      issue_custom_fields: [],
      parent: named(APP, 'The app'),
    },
    enabled_modules: [named(9, 'issue_tracking')],
    ...{ created_on: timeAt(2), updated_on: timeAt(2) },
  },
];

const MANAGER = named(3, 'Manager');
const DEVELOPER = named(4, 'Developer');
const MEMBERSHIPS: Readonly<Record<number, Json[]>> = {
  [APP]: [
    { id: 1, user: ADMIN, roles: [MANAGER] },
    { id: 2, group: DEVELOPERS, roles: [DEVELOPER] },
    { id: 3, user: ANN, roles: [{ ...DEVELOPER, inherited: true }] },
    { id: 4, user: named(5, 'Cleo'), roles: [{ ...DEVELOPER, inherited: true }] },
  ],
  [TOOLS]: [{ id: 5, user: ANN, roles: [MANAGER] }],
};

export const projectOf = (issueId: number): number => (issueId % 3 === 0 ? TOOLS : APP);
export const isPrivate = (issueId: number): boolean => issueId % 10 === 7;
export const hasFile = (issueId: number): boolean => issueId % 4 === 0;
export const hasPrivateNote = (issueId: number): boolean => issueId % 6 === 0;
export const fileContent = (fileId: number): string => `Content of file ${fileId}`;

const PARENTS: Readonly<Record<number, number>> = { 5: 4, 8: 5, 10: 9, 29: 28, 11: 7 };
const AUTHORS = [ADMIN, ANN, BOB, ANONYMOUS];

const fileOf = (id: number, filename: string, hours: number): Json => ({
  ...{ id, filename, filesize: fileContent(id).length, content_type: 'text/plain', description: '' },
  content_url: `http://elsewhere.example/attachments/download/${id}/${filename}`,
  author: ANN,
  created_on: timeAt(hours),
});

function journalsOf(id: number): Json[] {
  const journal = (place: number, notes: string, details: Json[], private_notes = false): Json => ({
    ...{ id: 10 * id + place, user: place === 1 ? ANN : BOB, notes, private_notes, details },
    ...{ created_on: timeAt(id + place), updated_on: timeAt(id + place) },
  });
  const attr = (name: string, old_value: string | null, new_value: string | null): Json => ({
    property: 'attr',
    ...{ name, old_value, new_value },
  });
  return [
    journal(1, `Note on #${id} with _text_`, [
      attr('status_id', '1', '2'),
      attr('assigned_to_id', null, '2'),
    ]),
    journal(2, '', [
      attr('priority_id', '2', '4'),
      attr('subject', 'Before', `Issue ${id}`),
      attr('description', '*old*', '*new*'),
      attr('parent_id', '4', '2'),
      attr('done_ratio', '0', '30'),
      attr('is_private', '1', '0'),
      { property: 'cf', name: '1', old_value: 'Low', new_value: 'High' },
      { property: 'cf', name: '7', old_value: null, new_value: SECRET },
      ...(hasFile(id)
        ? [{ property: 'attachment', name: String(1000 + id), old_value: null, new_value: `file ${id}.txt` }]
        : []),
    ]),
    ...(hasPrivateNote(id)
      ? [journal(3, `${SECRET} note`, [attr('due_date', null, '2030-01-01')], true)]
      : []),
  ];
}

function relationsOf(id: number): Json[] {
  const relation = (from: number, relation_type: string): Json => ({
    ...{ id: from, issue_id: from, issue_to_id: from + 4, relation_type, delay: null },
  });
  return [
    ...(id % 8 === 0 && id + 4 <= ISSUES ? [relation(id, 'blocks')] : []),
    ...(id % 8 === 4 && id > 8 ? [relation(id - 4, 'blocks')] : []),
  ];
}

/** Returns an issue as lists show it. */
export function issueLine(id: number): Json {
  const projectId = projectOf(id);
  const isApp = projectId === APP;
  const parent = PARENTS[id];
  return {
    ...{
      id,
      project: named(projectId, isApp ? 'The app' : 'Old tools'),
      tracker: TRACKERS[isApp ? id % 2 : 0],
    },
    status: named(STATUSES[id % 6]!.id, STATUSES[id % 6]!.name),
    priority: named((id % 5) + 1, PRIORITIES[id % 5]!.name),
    author: AUTHORS[id % 4],
    ...(id % 5 === 0 ? { assigned_to: DEVELOPERS } : id % 2 === 0 ? { assigned_to: ANN } : {}),
    ...(isApp && { category: CATEGORY }),
    fixed_version: named(1, '1.0'),
    ...(parent !== undefined && { parent: { id: parent } }),
    subject: isPrivate(id) ? `${SECRET} issue` : `Issue ${id}`,
    description: isPrivate(id)
      ? SECRET
      : `h2. Issue ${id}\n\nSee #${id + 1} and *bold* <b>raw</b> in [[Guide]].`,
    ...{ start_date: '2024-02-03', due_date: id % 2 === 0 ? '2024-03-04' : null, done_ratio: (id % 10) * 10 },
    ...{ is_private: isPrivate(id), estimated_hours: 1.5, total_estimated_hours: 1.5 },
    ...{ spent_hours: id / 4, total_spent_hours: id / 4 },
    custom_fields: isApp
      ? [
          { ...named(1, 'Severity'), value: 'High' },
          { ...named(2, 'Owner'), value: '2' },
          { ...named(3, 'Parts'), multiple: true, value: ['a', 'b'] },
          { ...named(4, 'Size'), value: '2.5' },
          { ...named(5, 'Checked on'), value: '2024-02-03' },
          { ...named(6, 'Checked'), value: '1' },
          { ...named(7, 'Restricted'), value: SECRET },
          { ...named(8, 'Found in'), value: '1' },
          { ...named(9, 'Reason'), value: 'Long\ntext' },
          { ...named(10, 'Page'), value: 'https://example.com/' },
        ]
      : [],
    ...{ created_on: timeAt(id), updated_on: timeAt(id + 2), closed_on: null },
  };
}

/** Returns an issue with everything. */
export const wholeIssue = (id: number): Json => ({
  ...issueLine(id),
  attachments: hasFile(id) ? [fileOf(1000 + id, `file ${id}.txt`, id)] : [],
  relations: relationsOf(id),
  journals: journalsOf(id),
  watchers: id % 7 === 0 ? [ANN, DEVELOPERS] : [],
});

/** The texts of the versions of wiki pages, the first first. */
export const WIKI: Readonly<Record<string, { parent?: string; texts: string[]; files: Json[] }>> = {
  Wiki: { texts: ['h1. Start', 'h1. Start\n\n[[Guide]]', 'h1. Start\n\n[[Guide|the guide]]'], files: [] },
  User_guide: { parent: 'Wiki', texts: ['Old', 'See #1 and [[Install]]'], files: [] },
  Install: { parent: 'User_guide', texts: ['!picture.png!'], files: [fileOf(2001, 'picture.png', 3)] },
};

export function wikiPage(title: string, version: number): Json | undefined {
  const page = WIKI[title];
  if (page?.texts[version - 1] === undefined) return undefined;
  return {
    ...{ title, text: page.texts[version - 1], version, comments: version === 2 ? 'Better' : '' },
    ...(page.parent !== undefined && { parent: { title: page.parent } }),
    author: version === 1 ? BOB : ANN,
    ...{ created_on: timeAt(1), updated_on: timeAt(version), attachments: page.files },
  };
}

/** Returns the elements of lists by their paths, without `.json`. */
export function listsOf(query: URLSearchParams): Readonly<Record<string, readonly Json[]>> {
  const ids = Array.from({ length: ISSUES }, (_value, index) => index + 1);
  const projectId = Number(query.get('project_id'));
  return {
    '/projects': PROJECTS,
    '/users': USERS.filter(({ status }) => String(status) === query.get('status')),
    '/groups': GROUPS.map(({ id, name }) => named(id as number, name as string)),
    '/issue_statuses': STATUSES,
    '/enumerations/issue_priorities': PRIORITIES,
    '/trackers': TRACKERS,
    '/custom_fields': FIELDS,
    '/issues': ids.filter((id) => projectOf(id) === projectId).map(issueLine),
    '/time_entries': projectId === APP ? ids.map((id) => ({ id })) : [],
    ...Object.fromEntries(
      [APP, TOOLS].flatMap((id) => [
        [`/projects/${id}/memberships`, MEMBERSHIPS[id]],
        [`/projects/${id}/versions`, VERSIONS[id]],
        [`/projects/${id}/news`, id === APP ? [{ id: 1 }, { id: 2 }] : []],
        [`/projects/${id}/files`, id === APP ? [{ id: 3001 }] : []],
      ]),
    ),
  };
}
