import { isDeepStrictEqual } from 'node:util';
import { type SchemaObject } from '../../src/openapi/openapi-types';
import { type ApiResponse } from '../support/api';
import { documentedOperations, openApiDocument } from '../support/conformance';
import { describeWithGit, WITH_GIT } from '../support/git';
import { addIssue, addSetting } from '../support/issues';
import {
  byId,
  call,
  CASES_ENVIRONMENT,
  type Names,
  TESTED_OPERATIONS,
  type TestedOperation,
} from '../support/operations';
import { type Environment, type ProjectFixture, useWorld, type World } from '../support/world';

/** The fields that the answer or the next read does not show, by the reason. */
const NOT_SHOWN: Readonly<Record<string, readonly string[]>> = {
  'only its hash is stored': ['addUser.password', 'updateUser.password'],
  'it is stored encrypted': ['addIdentityProvider.clientSecret', 'updateIdentityProvider.clientSecret'],
  'GET /users/{userId}/account shows it': ['updateUser.enabled'],
  'GET /documents/tree shows the place of a document': [
    'addDocument.parentId',
    'addDocument.addLast',
    'updateDocument.parentId',
    'updateDocument.addLast',
  ],
  'the list of comments shows a reply within its comment': ['addDocumentComment.commentId'],
  'only comments show who was notified, and those of documents do not': [
    'addDocumentComment.notifiedUserId',
    'addIssue.notifiedUserId',
    'updateIssue.notifiedUserId',
    'importIssue.notifiedUserId',
    'importIssueUpdate.notifiedUserId',
    'addPullRequest.notifiedUserId',
    'updatePullRequest.notifiedUserId',
  ],
  'it becomes a comment': ['updateIssue.comment', 'updatePullRequest.comment', 'importIssueUpdate.comment'],
  'it is the time of the comment': ['importIssueUpdate.created'],
  'a later edit of the issue stays': ['importIssueUpdate.updated'],
  'members get a letter': ['addWiki.mailNotify', 'updateWiki.mailNotify'],
  'nobody gets a letter about an imported page': ['importWiki.mailNotify'],
  'it selects deliveries, and the answer is their number': [
    'redeliverWebhookDeliveries.since',
    'redeliverWebhookDeliveries.until',
    'redeliverWebhookDeliveries.state',
  ],
  'git does not record where a branch began': ['addBranch.from'],
  'the answer is this user, and the other is gone': ['mergeUser.intoUserId'],
};

const EXCEPTIONS = Object.values(NOT_SHOWN).flat();

/** The paths that show a field, where `pathsOf` does not find it by its name. */
const SHOWN_AT: Readonly<Record<string, readonly string[]>> = {
  key: ['projectKey'],
  'addIdentityProvider.key': ['key'],
  issueIdOrKey: ['issueKey', 'issue.issueKey'],
  members: ['members.id'],
  notifiedUserId: ['notifications.user.id', 'user.id'],
  initialValueType: ['initialDate.id'],
  initialDate: ['initialDate.date'],
  initialShift: ['initialDate.shift'],
  items: ['items.name'],
  'addCustomFieldItem.name': ['items.name'],
  'updateCustomFieldItem.name': ['items.name'],
  'addDocument.content': ['plain'],
  'updateDocument.content': ['plain'],
  'addDocumentComment.content': ['plain'],
  'updateDocumentComment.content': ['plain'],
  'addIssueComment.attachmentId': ['changeLog.attachmentInfo.id'],
  'addPullRequestComment.attachmentId': ['changeLog.attachmentInfo.id'],
  'addInvitations.mailAddresses': ['mailAddress'],
  // These answer with the object, or the list of objects, that the field names.
  'addDocumentTags.tagNames': ['name', 'tags.name'],
  'addProjectAdministrator.userId': ['id'],
  'addProjectTeam.teamId': ['id'],
  'addProjectUser.userId': ['id'],
  'addRecentlyViewedWiki.wikiId': ['id', 'page.id'],
  'addRelatedIssue.targetIssueId': ['id'],
  'attachFilesToDocument.attachmentId': ['id', 'attachments.id'],
  'attachFilesToWiki.attachmentId': ['id'],
  'linkIssueSharedFiles.fileId': ['id'],
  'linkWikiSharedFiles.fileId': ['id'],
  'updateStatusDisplayOrder.statusId': ['id'],
};

/** The path of the next read, where it is not that of the resource. */
const READ_AT: Readonly<Record<string, string>> = {
  addIdentityProvider: '/space/identityProviders',
  testWebhook: '/projects/{projectIdOrKey}/webhooks/{webhookId}/deliveries',
};

/** Returns the paths of a response that may show a field: its own name, or the id of the object that it refers to. */
function pathsOf(id: string, field: string): readonly string[] {
  const stem = field.replace(/Ids?$/, '');
  return SHOWN_AT[`${id}.${field}`] ?? SHOWN_AT[field] ?? [field, `${stem}.id`, `${stem}s.id`];
}

/** A request in the making. */
interface Draft {
  world: World;
  project: Pick<ProjectFixture, 'id' | 'key' | 'issueTypeId' | 'issueId'>;
  names: Names;
  /** The accepted body of the operation's case. */
  base: Readonly<Record<string, unknown>>;
}

type Values = Readonly<Record<string, (draft: Draft) => unknown>>;

const settingOf =
  (kind: Parameters<typeof addSetting>[2]) =>
  async ({ world, project }: Draft): Promise<number> =>
    (await addSetting(world, project as ProjectFixture, kind)).id;
const listOf =
  (value: (draft: Draft) => Promise<number>) =>
  async (draft: Draft): Promise<number[]> => [await value(draft)];
const memberOf = async ({ world, project }: Draft): Promise<number> => (await world.addMember(project)).id;
const asInCase =
  (field: string) =>
  ({ base }: Draft): unknown =>
    base[field];

/** Values that cannot be made from the schema. */
const VALUES: Values = {
  'updateMailSettings.paused': () => false,
  'updateMailSettings.timeZone': () => 'Asia/Tokyo',
  issueTypeId: settingOf('issueTypes'),
  applicableIssueTypes: listOf(settingOf('issueTypes')),
  statusId: settingOf('statuses'),
  categoryId: listOf(settingOf('categories')),
  versionId: listOf(settingOf('versions')),
  milestoneId: listOf(settingOf('versions')),
  assigneeId: memberOf,
  notifiedUserId: listOf(memberOf),
  attachmentId: listOf(({ world }) => world.addUpload(world.admin)),
  parentIssueId: async ({ world, project }) => (await addIssue(world.admin, project as ProjectFixture)).id,
  issueId: ({ project }) => project.issueId,
  parentId: async ({ world, project }) =>
    (await world.admin.api.post('/documents', { projectId: project.id, title: 'Parent' })).body.id,
  commentId: async ({ world, names }) =>
    (await world.admin.api.post(`/documents/${names.documentId as string}/comments`, { content: 'Text' }))
      .body.id,
  emoji: () => '🚀',
  issuer: () => 'https://login.example.com/realms/other',
  'addIdentityProvider.scopes': () => 'openid email',
  'updateIdentityProvider.scopes': () => 'openid email',
  allowedDomains: () => ['example.com', '*'],
  groupRoles: () => ['1:administrators', '4:guests: all'],
  expires: () => '2040-03-04T05:06:07Z',
  issueIdOrKey: asInCase('issueIdOrKey'),
  from: asInCase('from'),
  'updateStatusDisplayOrder.statusId': async (draft) => [1, await settingOf('statuses')(draft), 2, 3, 4],
};

/** What a request needs for its field to be accepted. */
interface Requirement {
  names?: TestedOperation['names'];
  body?: (value: unknown) => object;
}

/** The type of a custom field that has a setting, and the settings that belong to it. */
const CUSTOM_FIELDS: Readonly<Record<string, [typeId: number, body?: Requirement['body']]>> = {
  min: [3],
  max: [3],
  initialValue: [3],
  unit: [3],
  initialValueType: [4, (value) => (value === 3 ? { initialDate: '2026-01-31' } : {})],
  initialDate: [4, () => ({ initialValueType: 3 })],
  initialShift: [4, () => ({ initialValueType: 2 })],
  items: [5],
  allowInput: [8],
  allowAddItem: [8],
};

const customFieldOf =
  (typeId: number) =>
  async (world: World, project: ProjectFixture): Promise<Names> => {
    const field = { typeId, name: world.uniqueName('Field') };
    const { body } = await world.admin.api.post(`/projects/${project.key}/customFields`, field);
    return { projectIdOrKey: project, customFieldId: body.id };
  };

/** The requirements of operations and of their fields. */
const REQUIREMENTS: Readonly<Record<string, Requirement>> = {
  updateUser: { names: async (world) => ({ userId: (await world.addUser()).id }) },
  ...Object.fromEntries(
    ['add', 'update'].flatMap((what) =>
      ['createsUsers', 'linksByMail'].map((field): [string, Requirement] => [
        `${what}IdentityProvider.${field}`,
        { body: () => ({ allowedDomains: ['*'] }) },
      ]),
    ),
  ),
  'updateDocument.addLast': { body: () => ({ parentId: null }) },
  ...Object.fromEntries(
    Object.entries(CUSTOM_FIELDS).flatMap(([field, [typeId, body]]): [string, Requirement][] => [
      [`addCustomField.${field}`, { body: (value) => ({ typeId, ...body?.(value) }) }],
      [`updateCustomField.${field}`, { names: customFieldOf(typeId), body }],
    ]),
  ),
};

/** Returns a valid value; a second one, if there are at least two, for a number other than 0. */
function valueOf(schema: SchemaObject, field: string, number: number, draft: Draft): unknown {
  const unique = draft.world.uniqueName(field).replace(' ', '-');
  const { type, format, pattern, anyOf, items, enum: values } = schema;
  if (values) return values.filter((value) => value !== null).at(number - 1);
  if (anyOf) return valueOf(anyOf[0] as SchemaObject, field, number, draft);
  if (type === 'array') {
    const item = items as SchemaObject;
    return item.format === 'int64' ? draft.base[field] : [valueOf(item, field, number, draft)];
  }
  if (type === 'boolean') return number === 0;
  if (type === 'number') return 1.5;
  if (type === 'integer') return format === 'int64' ? draft.base[field] : 3;
  if (format === 'date') return '2026-03-04';
  if (format === 'date-time') return '2026-03-04T05:06:07Z';
  if (format === 'email') return `${unique}@example.com`;
  if (format === 'uri') return `http://127.0.0.1:9/${unique}`;
  if (pattern?.startsWith('^#')) return '#7ea800';
  return pattern?.startsWith('^[A-Z]') ? unique.toUpperCase().replace('-', '_') : unique;
}

/** Returns the items at a path, from each item of the lists on it. */
const itemsAt = (value: unknown, path: string): unknown[] =>
  path
    .split('.')
    .reduce<unknown[]>(
      (values, name) =>
        values.flat().map((one) => (one as Record<string, unknown> | null | undefined)?.[name]),
      [value],
    )
    .flat();

/** Whether a response shows a value, or all values of a list in their order; a date may be shown as the start of its day. */
function shows(response: unknown, value: unknown, paths: readonly string[]): boolean {
  const wanted = [value].flat();
  const items = paths.flatMap((path) => itemsAt(response, path)).map(withoutTime);
  const shown = items.filter((item, index) => wanted.includes(item) && items.indexOf(item) === index);
  return isDeepStrictEqual(shown, wanted);
}

const withoutTime = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/T00:00:00Z$/, '') : value;

const READS = new Map(
  TESTED_OPERATIONS.filter(({ method }) => method === 'GET').map((read) => [read.path, read]),
);

/** Reads the resource that an operation has answered with, or else the closest one or list on the way to it. */
async function readAfter(
  world: World,
  { id: operationId, path: itsPath, method }: TestedOperation,
  names: Names,
  answer: ApiResponse,
): Promise<unknown> {
  const path = itsPath.replace(/\/import$/, '');
  const { id, number } = (answer.body ?? {}) as { id?: number; number?: number };
  const added = [...READS.keys()].find(
    (one) => one.startsWith(`${path}/{`) && one.indexOf('}') === one.length - 1,
  );
  const segments = path.split('/');
  const above = segments.map((_segment, index) => segments.slice(0, segments.length - index).join('/'));
  const place =
    READ_AT[operationId] ?? (method === 'POST' && added ? added : above.find((one) => READS.has(one)));
  if (!place) return undefined;
  const all: Names = {
    ...byId(names),
    ...(place === added && { [place.slice(path.length + 2, -1)]: String(number ?? id) }),
  };
  const inPath = Object.entries(all).filter(([name]) => place.includes(`{${name}}`));
  const { body } = await call(world, READS.get(place)!, world.admin.key, Object.fromEntries(inPath));
  if (!Array.isArray(body) || Array.isArray(answer.body)) return body;
  return (id === undefined ? undefined : (body as { id?: number }[]).find((item) => item.id === id)) ?? body;
}

type BodySchema = SchemaObject & { properties: Record<string, SchemaObject> };

/** Returns the schema of an operation's body; undefined without one, and for uploads of files. */
function bodyOf(operationId: string): BodySchema | undefined {
  const body = documentedOperations.find(({ operation }) => operation.operationId === operationId)?.operation
    .requestBody;
  const schema = body && 'content' in body ? body.content['application/json']?.schema : undefined;
  if (!schema || !('$ref' in schema)) return undefined;
  return openApiDocument.components?.schemas?.[
    schema.$ref.slice('#/components/schemas/'.length)
  ] as BodySchema;
}

/** The operations that store the fields of a body and answer with them. */
const WRITES = TESTED_OPERATIONS.flatMap((operation) => {
  const schema = operation.method !== 'DELETE' && operation.status !== 204 ? bodyOf(operation.id) : undefined;
  return schema ? [{ ...operation, fields: Object.entries(schema.properties) }] : [];
});

function testFields(environment: Environment, writes: typeof WRITES): void {
  const tested = useWorld(environment);

  /** Sends a field, and returns what is wrong with the answer or the next read. */
  async function problemWith(
    operation: TestedOperation,
    field: string,
    schema: SchemaObject,
    number: number,
  ): Promise<string | undefined> {
    const { world } = tested;
    const needed = REQUIREMENTS[`${operation.id}.${field}`] ?? REQUIREMENTS[operation.id] ?? {};
    const fixture = await world.addProject();
    const names = (await (needed.names ?? operation.names)?.(world, fixture, world.admin)) ?? {};
    const base = ((await operation.body?.(world, world.admin, fixture, names)) ?? {}) as Draft['base'];
    const { projectId: id = fixture.id, issueTypeId = fixture.issueTypeId } = base as Partial<
      Record<string, number>
    >;
    const project = { id, key: String(id), issueTypeId, issueId: fixture.issueId };
    const draft: Draft = { world, project, names, base };
    const make = VALUES[`${operation.id}.${field}`] ?? (schema.enum ? undefined : VALUES[field]);
    const value = await (make?.(draft) ?? valueOf(schema, field, number, draft));
    const body = { ...base, ...needed.body?.(value), [field]: value };
    const answer = await call(world, operation, world.admin.key, names, { body });
    if (answer.status >= 400) return `${field}: ${JSON.stringify(value)}: ${answer.text}`;
    const read = await readAfter(world, operation, names, answer);
    const paths = pathsOf(operation.id, field);
    return shows(answer.body, value, paths) && shows(read, value, paths) ? undefined : field;
  }

  it.each(writes)('answers $id with each field, and returns it in the next read', async (operation) => {
    const problems = new Set<string>();
    for (const [field, schema] of operation.fields) {
      const isChoice = schema.type === 'boolean' || schema.enum !== undefined;
      for (const number of isChoice ? [0, 1] : [0]) {
        const problem = await problemWith(operation, field, schema, number);
        if (problem !== undefined) problems.add(problem);
      }
    }
    const excepted = operation.fields
      .map(([field]) => field)
      .filter((field) => EXCEPTIONS.includes(`${operation.id}.${field}`));
    expect([...problems].sort()).toEqual(excepted.sort());
  });
}

describe('fields of requests', () => {
  testFields(
    CASES_ENVIRONMENT,
    WRITES.filter(({ withGit }) => !withGit),
  );

  it('has exceptions only where an operation has the field', () => {
    const all = WRITES.flatMap(({ id, fields }) => fields.map(([field]) => `${id}.${field}`));
    expect(EXCEPTIONS.filter((exception) => !all.includes(exception))).toEqual([]);
  });
});

describeWithGit('fields of requests about git', () =>
  testFields(
    { ...CASES_ENVIRONMENT, ...WITH_GIT },
    WRITES.filter(({ withGit }) => withGit),
  ),
);
