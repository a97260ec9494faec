import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { makeCertificate, storeCertificate } from '../support/certificates';
import { addKey } from '../support/keys';
import { INSIDE, type MarkedProject, OUTSIDE, useMarkedProjects } from '../support/marked-project';
import { everythingStored } from '../support/records';
import { useWorld } from '../support/world';
import { McpServer, type OfferedTool } from './mcp-server';

describe('backlog-mcp-server with a key that only reads one project', () => {
  const tested = useWorld();
  const marked = useMarkedProjects(tested);
  let folder: string;
  let proxy: Server;
  let certificate: string;
  let servers: McpServer[];

  beforeAll(async () => {
    const { world } = tested;
    folder = await mkdtemp(join(tmpdir(), 'mcp-'));
    const pair = await makeCertificate();
    certificate = (await storeCertificate(folder, pair)).TLS_CERT;
    const port = Number(new URL(world.server.baseUrl).port);
    // The program speaks only HTTPS.
    proxy = createServer(pair, (client) => {
      const service = connect(port, '127.0.0.1');
      client.on('error', () => service.destroy());
      service.on('error', () => client.destroy());
      client.pipe(service).pipe(client);
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    servers = [];
  });

  afterAll(async () => {
    for (const server of servers) await server.close();
    proxy.close();
    await rm(folder, { recursive: true });
  });

  /** Starts the program with a key. */
  async function open(key: string): Promise<{ mcp: McpServer; tools: OfferedTool[] }> {
    const { port } = proxy.address() as AddressInfo;
    const mcp = new McpServer(`127.0.0.1:${port}`, key, certificate);
    servers.push(mcp);
    return { mcp, tools: await mcp.open() };
  }

  /** Returns the parameters of a tool that name a project and its contents, and those that it requires. */
  function parametersOf({ inputSchema }: OfferedTool, project: MarkedProject): Record<string, unknown> {
    const first = (name: string): string | number => project.values.get(name)![0]!;
    const ids: Record<string, string | number> = {
      ...{
        projectId: project.id,
        projectKey: project.key,
        projectIdOrKey: project.key,
        projectIds: project.id,
      },
      ...{ issueId: project.issueId, issueKey: project.issueKey, issueIdOrKey: project.issueKey },
      ...{ targetIssueId: first('targetIssueId'), relatedIssueId: first('targetIssueId') },
      ...{
        repoId: project.repositoryId,
        repoName: project.repositoryName,
        number: project.pullRequestNumber,
      },
      ...{ commentId: first('commentId'), attachmentId: first('attachmentId'), userId: first('userId') },
      ...{ wikiId: first('wikiId'), documentId: first('documentId'), watchId: first('watchingId') },
      id: first('versionId'),
    };
    const required: Record<string, string | number> = {
      ...{
        name: 'New',
        key: 'NEW',
        summary: 'New',
        title: 'New',
        content: 'New',
        description: 'New',
        note: 'New',
      },
      ...{ issueTypeId: first('issueTypeId'), priorityId: 3, base: 'main', branch: 'work' },
    };
    const parameters: Record<string, unknown> = {};
    for (const [name, { type }] of Object.entries(inputSchema.properties ?? {})) {
      const value = ids[name] ?? (inputSchema.required?.includes(name) ? required[name] : undefined);
      if (value === undefined) continue;
      if (type === 'array') parameters[name] = [value];
      else parameters[name] = type === 'string' ? String(value) : value;
    }
    return parameters;
  }

  /** Calls every tool for a project; returns those whose result contains a word, and those that succeed. */
  async function callAll(
    { mcp, tools }: Awaited<ReturnType<typeof open>>,
    project: MarkedProject,
    word: string,
  ): Promise<{ containing: string[]; succeeding: string[] }> {
    const containing: string[] = [];
    const succeeding: string[] = [];
    for (const tool of tools) {
      const result = await mcp.call(tool.name, parametersOf(tool, project));
      if (JSON.stringify(result).includes(word)) containing.push(tool.name);
      if (!result.isError) succeeding.push(tool.name);
    }
    return { containing, succeeding };
  }

  it('shows nothing of another project and changes nothing, in any of its 63 tools', async () => {
    const { world } = tested;
    const limited = await open(
      await addKey(world, marked.owner, { scopes: ['read'], projectIds: [marked.inside.id] }),
    );
    expect(limited.tools).toHaveLength(63);
    const before = await everythingStored(world);
    expect((await callAll(limited, marked.inside, OUTSIDE)).containing).toEqual([]);
    expect((await callAll(limited, marked.outside, OUTSIDE)).containing).toEqual([]);
    const own = await callAll(limited, marked.inside, INSIDE);
    expect(own.succeeding.filter((name) => !/^(get|count)_/.test(name))).toEqual([]);
    expect(own.succeeding.length).toBeGreaterThan(30);
    expect(own.containing.length).toBeGreaterThan(20);
    expect(await everythingStored(world)).toEqual(before);
  });

  it('finds the word of the other project with a key without limits', async () => {
    const { mcp, tools } = await open(marked.owner.key);
    const reads = tools.filter(({ name }) => /^(get|count)_/.test(name));
    const { containing } = await callAll({ mcp, tools: reads }, marked.outside, OUTSIDE);
    expect(containing.length).toBeGreaterThan(20);
  });
});
