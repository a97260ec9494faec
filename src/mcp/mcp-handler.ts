import { Logger } from '@nestjs/common';
import {
  createMcpHandler,
  type McpHttpHandler,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { VERSION } from '../config/version';
import { LimitedLogger } from '../logging/limited-logger';
import { ClientGoneError } from '../http/server/client-signal';
import { toAnswerText, toMessage } from './answers/shorten';
import { ToolError } from './answers/tool-error';
import { composeTools, type ComposedTool, listTools } from './mcp-contents';
import { PROMPTS } from './mcp-prompts';
import { readResource, RESOURCES } from './mcp-resources';
import { type OperationCatalogue } from './operations/operation-catalogue';
import { type OperationCaller } from './operations/operation-caller';

const INSTRUCTIONS =
  'A project management service: projects with issues, git repositories, pull requests, wiki pages and documents. Start with get_project_list and get_project. Texts are Markdown. Lists state in next how to continue. Everything that you write is shown as your work for the user.';

const logger = new LimitedLogger(new Logger('Mcp'));

/** What a tool call returns. */
interface ToolResult {
  content: { type: 'text'; text: string }[];
  isError?: true;
  [extension: string]: unknown;
}

/** What a prompt returns. */
interface PromptResult {
  description: string;
  messages: { role: 'user'; content: { type: 'text'; text: string } }[];
  [extension: string]: unknown;
}

/**
 * Creates the handler of the protocol, for its current revision and those of 2025, without sessions. Its tools are composed once; each
 * request gets a server of its own, with the caller in `authInfo.extra`.
 */
export function createHandler(catalogue: OperationCatalogue): McpHttpHandler {
  const tools = composeTools(catalogue);
  return createMcpHandler(
    ({ authInfo }) => serverFor(authInfo?.extra?.call as OperationCaller, tools),
    // A stream would hold a connection and one of the user's requests.
    { maxSubscriptions: 0, onerror: () => undefined },
  );
}

function serverFor(call: OperationCaller, tools: ReadonlyMap<string, ComposedTool>): McpServer {
  const mcp = new McpServer(
    { name: 'project-management-service', title: 'Project Management Service', version: VERSION },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  // Not `registerTool`, which would compose the tools again for each request.
  const { server } = mcp;
  server.setRequestHandler('tools/list', () => ({ tools: listTools(tools, call.caller) }));
  server.setRequestHandler('tools/call', ({ params }) =>
    callTool(tools.get(params.name), call, params.name, params.arguments),
  );
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: RESOURCES.map(({ name, title, uriTemplate, mimeType }) => ({
      name,
      title,
      uriTemplate,
      mimeType,
    })),
  }));
  server.setRequestHandler('resources/read', async ({ params }) => {
    try {
      return { contents: [await readResource(call, params.uri)] };
    } catch (error) {
      throw resourceError(error);
    }
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: PROMPTS.map(({ text: _, arguments: given, ...prompt }) => ({
      ...prompt,
      arguments: [...given],
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(params.name, params.arguments ?? {}));
  return mcp;
}

/** Calls a tool. What its client can act on is a result; anything else is an error of the service. */
async function callTool(
  composed: ComposedTool | undefined,
  call: OperationCaller,
  name: string,
  given: unknown,
): Promise<ToolResult> {
  if (!composed)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, toMessage(`There is no tool ${name}.`));
  const input = composed.input.safeParse(given ?? {});
  if (!input.success) {
    const problems = input.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`,
    );
    return failure(`${problems.join('; ')}.`);
  }
  try {
    const text = await toAnswerText(await composed.tool.run(call, input.data));
    return { content: [{ type: 'text', text }] };
  } catch (error) {
    if (error instanceof ToolError) return failure(error.message);
    if (!(error instanceof ClientGoneError)) logger.error({ err: error, tool: name }, 'A tool failed');
    return failure('The service failed. Try again later.');
  }
}

const failure = (text: string): ToolResult => ({
  content: [{ type: 'text', text: toMessage(text) }],
  isError: true,
});

function getPrompt(name: string, values: Readonly<Record<string, string>>): PromptResult {
  const prompt = PROMPTS.find((one) => one.name === name);
  const missing = prompt?.arguments.find((one) => one.required && !values[one.name]);
  if (!prompt || missing) {
    const reason = missing ? `${missing.name} is required.` : toMessage(`There is no prompt ${name}.`);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, reason);
  }
  const content = { type: 'text' as const, text: prompt.text(values) };
  return { description: prompt.description, messages: [{ role: 'user', content }] };
}

function resourceError(error: unknown): ProtocolError {
  if (error instanceof ToolError) {
    return new ProtocolError(ProtocolErrorCode.InvalidParams, toMessage(error.message));
  }
  if (!(error instanceof ClientGoneError)) logger.error({ err: error }, 'A resource could not be read');
  return new ProtocolError(ProtocolErrorCode.InternalError, 'The service failed. Try again later.');
}
