import { readsOfUsers, statementsOf } from '../support/records';
import { NEW_PULL_REQUEST, pullRequests } from '../support/pull-requests';
import { addIssue } from '../support/issues';
import { addSharedFile } from '../support/shared-files';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

describe('reads of users', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let author: Person;
  let reader: Person;
  let issue: string;
  let pullRequest: string;
  let wiki: string;
  let document: string;

  /** Adds an issue, a pull request, a wiki page and a document, with a file of the author and a star of the reader where they can have one. */
  beforeAll(async () => {
    const { world } = tested;
    await world.stopDeliveries();
    project = await world.addProject();
    [author, reader] = [await world.addMember(project), await world.addMember(project)];
    const upload = async (): Promise<number[]> => [await world.addUpload(author)];
    const notifiedUserId = [reader.id];
    const assigned = { assigneeId: reader.id, notifiedUserId };

    const fields = { ...assigned, summary: 'Quokka', attachmentId: await upload() };
    const { id: issueId } = await addIssue(author, project, fields);
    issue = `/issues/${issueId}`;
    const fileId = [await addSharedFile(author, project)];
    await author.api.post(`${issue}/sharedFiles`, { fileId });
    await author.api.post(`${issue}/comments`, { content: 'Look', notifiedUserId });

    const added = await author.api.post<{ id: number; number: number }>(pullRequests(project), {
      ...NEW_PULL_REQUEST,
      ...assigned,
      issueId,
      attachmentId: await upload(),
    });
    pullRequest = `${pullRequests(project)}/${added.body.number}`;

    wiki = `/wikis/${project.wikiId}`;
    await author.api.post(`${wiki}/attachments`, { attachmentId: await upload() });
    await author.api.post(`${wiki}/sharedFiles`, { fileId });
    for (const star of [{ issueId }, { pullRequestId: added.body.id }, { wikiId: project.wikiId }])
      expect((await reader.api.post('/stars', star)).status).toBe(204);

    const { body } = await author.api.post<{ id: string }>('/documents', {
      projectId: project.id,
      title: 'A document',
    });
    document = `/documents/${body.id}`;
    await author.api.post(`${document}/attachments`, { attachmentId: await upload() });
    await author.api.post(`${document}/comments`, { content: 'Look', notifiedUserId });
  });

  const READS: readonly [string, () => string, number][] = [
    ['a list of issues', () => '/issues', 1],
    ['a search for issues', () => '/issues?keyword=quokka', 1],
    ['an issue', () => issue, 1],
    ['a list of pull requests', () => pullRequests(project), 1],
    ['a pull request', () => pullRequest, 1],
    ['a wiki page', () => wiki, 1],
    ['a document', () => document, 1],
    ['activities', () => `/projects/${project.key}/activities`, 1],
    // The authors are joined to their comments, and others to their stars and notifications.
    ['a list of comments', () => `${issue}/comments`, 2],
    // Those of comments, as above, those of documents, and all others.
    ['notifications', () => '/notifications', 4],
  ];

  it.each(READS)('shows %s with few statements for users', async (_, path, reads) => {
    const statements = await statementsOf(tested.world, async () => {
      const { status, body } = await reader.api.get(path());
      expect([status, body]).toEqual([200, expect.anything()]);
      expect(JSON.stringify(body)).toContain(JSON.stringify(author.name));
    });
    expect(readsOfUsers(statements)).toHaveLength(reads);
  });
});
