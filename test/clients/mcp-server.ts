import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Readable, type Writable } from 'node:stream';

const PROTOCOL_VERSION = '2025-06-18';
const packageRequire = createRequire(__filename);
const BUILD = join(dirname(packageRequire.resolve('backlog-mcp-server/package.json')), 'build');

/** The response of a tool. */
export interface ToolResult {
  isError?: boolean;
  content: { type: string; text?: string; resource?: { uri: string; mimeType: string; text?: string } }[];
}

/** A tool in the list of tools. */
export interface OfferedTool {
  name: string;
  inputSchema: { properties?: Record<string, { type?: string }>; required?: readonly string[] };
}

interface Answer {
  id?: number;
  result?: unknown;
  error?: { message: string };
}

/** The published backlog-mcp-server in a separate process, used over its standard input and output as AI clients do. */
export class McpServer {
  private readonly process: ChildProcessByStdio<Writable, Readable, null>;
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private lastId = 0;

  /** @param certificate path of a certificate to trust */
  constructor(domain: string, apiKey: string, certificate: string) {
    this.process = spawn(process.execPath, [join(BUILD, 'index.js'), '--enable-toolsets', 'all'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      // It reads the file `.env` in its working directory.
      cwd: dirname(certificate),
      env: {
        PATH: process.env.PATH,
        BACKLOG_DOMAIN: domain,
        BACKLOG_API_KEY: apiKey,
        NODE_EXTRA_CA_CERTS: certificate,
      },
    });
    createInterface(this.process.stdout).on('line', (line) => {
      const answer = JSON.parse(line) as Answer;
      if (answer.id !== undefined) this.waiting.get(answer.id)?.(answer);
    });
    this.process.once('close', () => {
      for (const answered of this.waiting.values())
        answered({ error: { message: 'The process has ended.' } });
    });
  }

  /** Initializes the session, and returns the tools. */
  async open(): Promise<OfferedTool[]> {
    await this.request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      capabilities: {},
      clientInfo: { name: 'test', version: '1.0.0' },
    });
    this.send({ method: 'notifications/initialized' });
    return (await this.request<{ tools: OfferedTool[] }>('tools/list', {})).tools;
  }

  /** Calls a tool. */
  call(name: string, parameters: Record<string, unknown>): Promise<ToolResult> {
    return this.request('tools/call', { name, arguments: parameters });
  }

  /** Terminates the process. */
  async close(): Promise<void> {
    const ended = this.process.exitCode === null ? once(this.process, 'close') : undefined;
    this.process.stdin.end();
    this.process.kill();
    await ended;
  }

  private async request<Result>(method: string, params: object): Promise<Result> {
    const id = ++this.lastId;
    const { result, error } = await new Promise<Answer>((resolve) => {
      this.waiting.set(id, resolve);
      this.send({ id, method, params });
    });
    this.waiting.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result as Result;
  }

  private send(message: object): void {
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

interface Tool {
  name: string;
  outputFields?: readonly string[];
}

interface Library {
  createDescriptionHelper: (overrides: object) => object;
  allTools: (
    backlog: object,
    helper: object,
  ) => { toolsets: { tools: Tool[]; nativeContentTools?: Tool[] }[] };
}

/** Returns the fields that each tool declares for its response; none for a tool that returns files. */
export function declaredFields(): Map<string, readonly string[]> {
  const { allTools, createDescriptionHelper } = packageRequire(join(BUILD, 'lib.js')) as Library;
  const { toolsets } = allTools({}, createDescriptionHelper({}));
  const tools = toolsets.flatMap(({ tools: some, nativeContentTools = [] }) => [
    ...some,
    ...nativeContentTools,
  ]);
  return new Map(tools.map(({ name, outputFields = [] }) => [name, outputFields]));
}
