import { addKey } from '../support/keys';
import { INSIDE, type MarkedProject, OUTSIDE, useMarkedProjects } from '../support/marked-project';
import { McpConnection } from '../support/mcp';
import { everythingStored } from '../support/records';
import { useWorld } from '../support/world';

/** Parameters of tools, by name: those that name a project and its contents, and what is to be written. */
const parametersFor = (project: MarkedProject): Record<string, unknown> => {
  const first = (name: string): string | number => project.values.get(name)![0]!;
  return {
    ...{ projectKey: project.key, issueKey: project.issueKey, repoName: project.repositoryName },
    ...{ number: project.pullRequestNumber, wikiId: first('wikiId'), documentId: first('documentId') },
    ...{ attachmentId: first('attachmentId'), parentIssueId: first('targetIssueId') },
    ...{ query: 'issues', operationId: 'listIssueComments', parameters: { issueIdOrKey: project.issueKey } },
    ...{ summary: 'New', content: 'New', name: 'New', title: 'New', issueType: first('issueTypeId') },
    ...{ base: 'main', branch: 'work' },
  };
};

describe('a key that only reads one project', () => {
  const tested = useWorld();
  const marked = useMarkedProjects(tested);

  /** Calls every tool of the service, listed for the key or not; returns those whose answer contains a word, and those that succeed. */
  async function callAll(key: string, project: MarkedProject, word: string) {
    const { world } = tested;
    const mcp = await McpConnection.open(world, key);
    const { tools } = await (await McpConnection.open(world, marked.owner.key)).connected.listTools();
    const containing: string[] = [];
    const succeeding: string[] = [];
    for (const { name, inputSchema } of tools) {
      const known = Object.keys((inputSchema as { properties?: object }).properties ?? {});
      const given = Object.entries(parametersFor(project)).filter(([parameter]) => known.includes(parameter));
      // A file is either attached or in a repository.
      const { repoName: _, ...ofFile } = Object.fromEntries(given);
      const { text, isError } = await mcp.call(
        name,
        name === 'get_file' ? ofFile : Object.fromEntries(given),
      );
      if (text.includes(word)) containing.push(name);
      if (!isError) succeeding.push(name);
    }
    return { containing, succeeding };
  }

  it('shows nothing of another project and changes nothing, in any tool', async () => {
    const { world } = tested;
    const key = await addKey(world, marked.owner, { scopes: ['read'], projectIds: [marked.inside.id] });
    const before = await everythingStored(world);
    expect((await callAll(key, marked.inside, OUTSIDE)).containing).toEqual([]);
    expect((await callAll(key, marked.outside, OUTSIDE)).containing).toEqual([]);
    const own = await callAll(key, marked.inside, INSIDE);
    expect(own.succeeding.filter((name) => !/^(get_|find_|call_operation)/.test(name))).toEqual([]);
    expect(own.containing.length).toBeGreaterThanOrEqual(14);
    expect(await everythingStored(world)).toEqual(before);
    const unlimited = await callAll(marked.owner.key, marked.outside, OUTSIDE);
    expect(unlimited.containing.length).toBeGreaterThanOrEqual(14);
  });
});
