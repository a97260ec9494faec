import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type World } from './world';

/** The revisions of the protocol that clients of today use. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;

export type Revision = (typeof REVISIONS)[number];

/** The result of a tool. */
export interface CalledTool {
  /** Its text, of which it has one. */
  text: string;
  isError: boolean;
}

/** A client of the MCP endpoint: the official library. */
export class McpConnection {
  private constructor(private readonly client: Client) {}

  static async open(world: World, key: string, revision: Revision = '2026-07-28'): Promise<McpConnection> {
    const mode = revision === '2026-07-28' ? { pin: revision } : 'legacy';
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    const headers = { authorization: `Bearer ${key}` };
    await client.connect(new StreamableHTTPClientTransport(mcpAddress(world), { requestInit: { headers } }));
    return new McpConnection(client);
  }

  get connected(): Client {
    return this.client;
  }

  /** Calls a tool. */
  async call(name: string, parameters: Record<string, unknown> = {}): Promise<CalledTool> {
    const { content, isError = false } = await this.client.callTool({ name, arguments: parameters });
    const [{ text }] = content as unknown as [{ text: string }];
    return { text, isError };
  }

  /** Calls a tool that must succeed, and returns its answer. */
  async answer<Answer = any>(name: string, parameters: Record<string, unknown> = {}): Promise<Answer> {
    const { text, isError } = await this.call(name, parameters);
    if (isError) throw new Error(`${name}: ${text}`);
    return JSON.parse(text) as Answer;
  }
}

/** Returns the address of the endpoint. */
export const mcpAddress = (world: World): URL => new URL('/mcp', world.server.baseUrl);

/** Sends a message without a client library, with the headers that the revision of 2026 requires. */
export function sendMessage(
  world: World,
  key: string | undefined,
  message: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(mcpAddress(world), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key !== undefined && { 'x-api-key': key }),
      ...headers,
    },
    signal,
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
}
