import { COUNT_LIMITS, type CountLimitName } from '../../src/limits/count-limits';
import { type ApiResponse } from '../support/api';
import { putSharedFile } from '../support/shared-files';
import { type ProjectFixture, useWorld, type World } from '../support/world';

const LIMITS = {
  MAX_USERS: '3',
  MAX_PROJECTS: '6',
  MAX_TEAMS: '6',
  MAX_TEAM_MEMBERS: '2',
  MAX_TEAM_PROJECTS: '2',
  MAX_PROJECT_TEAMS: '2',
  MAX_INVITATIONS: '2',
  MAX_API_KEYS: '2',
  MAX_ATTACHED_FILES: '2',
  MAX_UNATTACHED_FILES: '2',
  MAX_ISSUE_TYPES: '4',
  MAX_STATUSES: '5',
  MAX_CATEGORIES: '2',
  MAX_VERSIONS: '2',
  MAX_CUSTOM_FIELDS: '2',
  MAX_CUSTOM_FIELD_ITEMS: '2',
  MAX_WIKI_PAGES: '2',
  MAX_DOCUMENTS: '2',
  MAX_GIT_REPOSITORIES: '2',
  MAX_WEBHOOKS: '2',
  MAX_WATCHINGS: '2',
  MAX_WATCHERS: '1',
  MAX_RELATED_ISSUES: '2',
  MAX_SHARED_FILES: '5',
  MAX_FOLDER_ENTRIES: '2',
};

/** Adds an item as the administrator, in a project with room for at least one. */
type Add = (world: World, project: ProjectFixture) => Promise<ApiResponse>;

let counter = 0;
let spreadTeam: { id: number } | undefined;

const addNamed =
  (path: (project: ProjectFixture) => string, rest: object = {}): Add =>
  ({ admin }, project) =>
    admin.api.post(path(project), { name: `Thing ${++counter}`, ...rest });

const addIssue = async ({ admin }: World, { id, issueTypeId }: ProjectFixture): Promise<number> => {
  const issue = { projectId: id, summary: 'New', issueTypeId, priorityId: 3 };
  return (await admin.api.post<{ id: number }>('/issues', issue)).body.id;
};

/** Limits that are fixed, and too high for this test. */
type FixedLimit = 'issue' | 'identityProvider' | 'fileLink' | 'documentComment' | 'documentTag' | 'gitRef';

const addSharedFile = (world: World, project: ProjectFixture, folder: string) =>
  putSharedFile<{ id: number }>(world.admin, project, { folder, name: `file-${++counter}.txt` });

const CASES: Record<Exclude<CountLimitName, FixedLimit>, { add: Add; message: string }> = {
  user: {
    add: ({ admin }) =>
      admin.api.post('/users', {
        userId: `robin.${++counter}`,
        password: 'correct horse',
        name: 'Robin',
        mailAddress: 'robin@example.com',
        roleType: 2,
      }),
    message: 'A space can have at most 3 users.',
  },
  project: {
    add: ({ admin }) => admin.api.post('/projects', { name: 'Project', key: `MORE${++counter}` }),
    message: 'Project limit. A space can have at most 6 projects.',
  },
  invitation: {
    add: ({ admin }) =>
      admin.api.post('/invitations', { mailAddresses: [`kim${++counter}@example.com`], roleType: 2 }),
    message: 'A space can have at most 2 open invitations.',
  },
  apiKey: {
    add: ({ admin }) => admin.api.post(`/users/${admin.id}/apiKeys`, { name: 'Key' }),
    message: 'A user can have at most 2 API keys.',
  },
  attachedFile: {
    add: async ({ admin }, { wikiId }) => {
      const { body } = await admin.api.upload<{ id: number }>('content');
      return admin.api.post(`/wikis/${wikiId}/attachments`, { attachmentId: [body.id] });
    },
    message: 'At most 2 files can be attached to one object.',
  },
  sharedFile: {
    add: (world, project) => addSharedFile(world, project, `folder/${Math.floor(++counter / 4)}`),
    message: 'A project can have at most 5 shared files and folders.',
  },
  folderEntry: {
    add: (world, project) => addSharedFile(world, project, ''),
    message: 'A folder can have at most 2 files and folders.',
  },
  linkedFile: {
    add: async (world, project) => {
      const { body } = await addSharedFile(world, project, `folder ${counter % 2}`);
      return world.admin.api.post(`/wikis/${project.wikiId}/sharedFiles`, { fileId: [body.id] });
    },
    message: 'At most 2 shared files can be linked to one object.',
  },
  // Last of the cases that upload, because it leaves no room for others.
  unattachedFile: {
    add: ({ admin }) => admin.api.upload('content'),
    message: 'A user can have at most 2 unattached files. Attach some, or wait an hour.',
  },
  issueType: {
    add: addNamed(({ key }) => `/projects/${key}/issueTypes`, { color: '#7ea800' }),
    message: 'A project can have at most 4 issue types.',
  },
  status: {
    add: addNamed(({ key }) => `/projects/${key}/statuses`, { color: '#4488c5' }),
    message: 'A project can have at most 5 statuses.',
  },
  category: {
    add: addNamed(({ key }) => `/projects/${key}/categories`),
    message: 'A project can have at most 2 categories.',
  },
  version: {
    add: addNamed(({ key }) => `/projects/${key}/versions`),
    message: 'A project can have at most 2 versions.',
  },
  customField: {
    add: addNamed(({ key }) => `/projects/${key}/customFields`, { typeId: 1 }),
    message: 'A project can have at most 2 custom fields.',
  },
  customFieldItem: {
    add: async ({ admin }, { key }) => {
      const fields = `/projects/${key}/customFields`;
      const { body } = await admin.api.get<{ id: number }[]>(fields);
      return body[0]
        ? admin.api.post(`${fields}/${body[0].id}/items`, { name: `Thing ${++counter}` })
        : admin.api.post(fields, { name: 'List', typeId: 5, items: [] });
    },
    message: 'A custom field can have at most 2 items.',
  },
  wiki: {
    add: ({ admin }, { id }) =>
      admin.api.post('/wikis', { projectId: id, name: `Page ${++counter}`, content: '' }),
    message: 'A project can have at most 2 wiki pages.',
  },
  document: {
    add: ({ admin }, { id }) => admin.api.post('/documents', { projectId: id }),
    message: 'A project can have at most 2 documents, including those in the trash.',
  },
  gitRepository: {
    add: ({ admin }, { key }) =>
      admin.api.post(`/projects/${key}/git/repositories`, { name: `repo-${++counter}` }),
    message: 'A project can have at most 2 git repositories.',
  },
  webhook: {
    add: addNamed(({ key }) => `/projects/${key}/webhooks`, { hookUrl: 'http://127.0.0.1:9/' }),
    message: 'A project can have at most 2 webhooks.',
  },
  watching: {
    add: async (world, project) =>
      world.admin.api.post('/watchings', { issueIdOrKey: String(await addIssue(world, project)) }),
    message: 'A user can watch at most 2 issues.',
  },
  watcher: {
    add: async (world, project) => {
      const { api } = await world.addMember(project);
      return api.post('/watchings', { issueIdOrKey: project.issueKey });
    },
    message: 'At most 1 users can watch an issue.',
  },
  relatedIssue: {
    add: async (world, project) =>
      world.admin.api.post(`/issues/${project.issueKey}/relatedIssues`, {
        targetIssueId: await addIssue(world, project),
      }),
    message: 'An issue can have at most 2 related issues.',
  },
  teamMember: {
    add: async (world) => {
      const members = [await world.addUser(), await world.addUser(), await world.addUser()];
      return world.admin.api.post('/teams', { name: 'Large', members: members.map(({ id }) => id) });
    },
    message: 'A team can have at most 2 members.',
  },
  teamProject: {
    add: async (world, { id }) => {
      const first = spreadTeam === undefined;
      spreadTeam ??= await world.addTeam();
      const projectId = first ? id : (await world.addProject()).id;
      return world.admin.api.post(`/projects/${projectId}/teams`, { teamId: spreadTeam.id });
    },
    message: 'A team can be in at most 2 projects.',
  },
  projectTeam: {
    add: async (world, { key }) =>
      world.admin.api.post(`/projects/${key}/teams`, { teamId: (await world.addTeam()).id }),
    message: 'A project can have at most 2 teams.',
  },
  // Last, because it fills the space.
  team: {
    add: ({ admin }) => admin.api.post('/teams', { name: `Team ${++counter}` }),
    message: 'A space can have at most 6 teams.',
  },
};

describe('adding an item beyond a count limit', () => {
  const tested = useWorld({ ...LIMITS, WEBHOOK_ALLOW: '127.0.0.0/8' });

  it.each(Object.entries(CASES))('answers 409 with code 9 to another %s', async (_name, { add, message }) => {
    const project = await tested.world.addProject();
    let answer = await add(tested.world, project);
    for (let added = 0; added < 6 && answer.status < 300; added++) answer = await add(tested.world, project);
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual({ errors: [{ code: 9, message, moreInfo: '' }] });
  });

  it('covers every limit except the fixed ones', () => {
    const fixed = {
      issue: 0,
      identityProvider: 0,
      fileLink: 0,
      documentComment: 0,
      documentTag: 0,
      gitRef: 0,
    };
    expect(Object.keys({ ...CASES, ...fixed }).sort()).toEqual(Object.keys(COUNT_LIMITS).sort());
  });
});
