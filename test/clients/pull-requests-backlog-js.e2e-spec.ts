import { Backlog } from 'backlog-js';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const HOST = 'space.example.com';
/** The client's own types declare a list for the comment, although there can be only one. */
const CHANGES = { summary: 'Changed', comment: ['Better'] };

describe('the client backlog-js with pull requests', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;
  let client: Backlog;

  beforeAll(async () => {
    const { world } = tested;
    project = await world.addProject();
    member = await world.addMember(project);
    client = new Backlog({
      host: HOST,
      apiKey: member.key,
      fetch: (input, init) =>
        fetch((input as string).replace(`https://${HOST}/api/v2`, world.server.baseUrl), init),
    });
  });

  it('gets repositories', async () => {
    const { key, repositoryName: name, repositoryId: id } = project;
    expect(await client.getGitRepositories(key)).toMatchObject([{ id, name }]);
    expect(await client.getGitRepository(key, name)).toMatchObject({ id, name });
  });

  it('adds, lists, changes and comments on a pull request, and gets its files', async () => {
    const { admin } = tested.world;
    const { key, repositoryName: name, issueId } = project;
    const attachment = await tested.world.addUpload(member, 'content', 'notes.txt');
    const pullRequest = await client.postPullRequest(key, name, {
      summary: 'A change',
      description: '',
      base: 'main',
      branch: 'change',
      issueId,
      assigneeId: admin.id,
      notifiedUserId: [admin.id],
      attachmentId: [attachment],
    });
    expect(pullRequest).toMatchObject({
      number: 2,
      issue: { id: issueId },
      attachments: [{ id: attachment }],
    });
    const file = (await client.getPullRequestAttachment(key, name, 2, attachment)) as unknown as {
      filename: string;
      body: ConstructorParameters<typeof Response>[0];
    };
    expect(file.filename).toBe('notes.txt');
    expect(await new Response(file.body).text()).toBe('content');
    const query = { statusId: [1], issueId: [issueId], assigneeId: [admin.id], createdUserId: [member.id] };
    expect(await client.getPullRequests(key, name, { ...query, count: 5, offset: 0 })).toEqual([pullRequest]);
    expect(await client.getPullRequestsCount(key, name, query)).toEqual({ count: 1 });
    const changed = await client.patchPullRequest(key, name, 2, CHANGES);
    expect(changed).toMatchObject({ summary: 'Changed' });
    expect(await client.getPullRequest(key, name, 2)).toEqual(changed);
    const comment = await client.postPullRequestComments(key, name, 2, {
      content: 'Done',
      notifiedUserId: [admin.id],
    });
    expect(await client.getPullRequestComments(key, name, 2, {})).toMatchObject([
      { id: comment.id, content: 'Done' },
      { content: 'Better' },
    ]);
    expect(await client.getPullRequestCommentsCount(key, name, 2)).toEqual({ count: 2 });
    expect(await client.getPullRequestAttachments(key, name, 2)).toEqual(pullRequest.attachments);
  });
});
