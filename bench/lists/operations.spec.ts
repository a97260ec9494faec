import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LISTS } from './lists';
import { fillIn, listOperations, type OpenApiDocument, recordsOf } from './operations';

const json = (schema: object) => ({ responses: { '200': { content: { 'application/json': { schema } } } } });

describe('listOperations', () => {
  it('returns only the operations that answer with an array or a count', () => {
    const document = {
      paths: {
        '/issues': { get: { operationId: 'listIssues', ...json({ type: 'array' }) }, post: {} },
        '/issues/count': {
          get: { operationId: 'countIssues', ...json({ $ref: '#/components/schemas/Count' }) },
        },
        '/issues/{id}': { get: { operationId: 'getIssue', ...json({ $ref: '#/components/schemas/Issue' }) } },
        '/file': { get: { operationId: 'getFile', responses: { '200': { content: {} } } } },
        '/space/attachment': {},
      },
      components: {
        schemas: {
          Count: { type: 'object', properties: { count: {} } },
          Issue: { type: 'object', properties: { id: {}, count: {} } },
        },
      },
    };

    expect(listOperations(document)).toEqual([
      { id: 'listIssues', path: '/issues' },
      { id: 'countIssues', path: '/issues/count' },
    ]);
  });
});

/** Lists read from git, not from the database: their times do not depend on its rows. */
const OF_GIT = [
  'listBranches',
  'listCommits',
  'listPullRequestCommits',
  'listPullRequestFiles',
  'listTags',
  'listTree',
];

describe('LISTS', () => {
  it('contains every list and count of openapi.json except those read from git', () => {
    const text = readFileSync(join(__dirname, '../../openapi.json'), 'utf8');
    const documented = listOperations(JSON.parse(text) as OpenApiDocument)
      .map(({ id }) => id)
      .filter((id) => !OF_GIT.includes(id));
    const measured = new Set(LISTS.map(({ operation }) => operation));

    expect([...measured].sort()).toEqual(documented.sort());
  });
});

describe('fillIn', () => {
  it('replaces placeholders with the URL-encoded seeded values', () => {
    expect(fillIn('/wikis/{wikiId}/a?name={name}&all', { wikiId: 7, name: 'a/b' })).toBe(
      '/wikis/7/a?name=a%2Fb&all',
    );
  });

  it('refuses a placeholder without a seeded value', () => {
    expect(() => fillIn('/wikis/{wikiId}', { wiki: 7 })).toThrow('Nothing was seeded for {wikiId}.');
  });
});

describe('recordsOf', () => {
  it.each([
    ['[]', 0],
    ['[{"id":1},{"id":2}]', 2],
    ['{"count":12}', 12],
  ])('reads the number of records in %s as %d', (body, records) => {
    expect(recordsOf(body)).toBe(records);
  });
});
