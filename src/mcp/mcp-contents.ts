import * as z from 'zod';
import { type Caller } from '../access/caller';
import { missingScopes, type Scope } from '../access/scopes';
import { type OperationCatalogue } from './operations/operation-catalogue';
import { ISSUE_TOOLS } from './tools/issue.tools';
import { operationTools } from './tools/operation.tools';
import { PAGE_TOOLS } from './tools/page.tools';
import { PROJECT_TOOLS } from './tools/project.tools';
import { PULL_REQUEST_TOOLS } from './tools/pull-request.tools';
import { type Tool } from './tools/tool';

/** A tool as lists show it. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [keyword: string]: unknown };
  annotations: { readOnlyHint: boolean; destructiveHint?: boolean; openWorldHint: false };
}

/** A tool with everything that is derived from it, once per process. */
export interface ComposedTool {
  tool: Tool;
  /** Refuses unknown parameters. */
  input: z.ZodObject;
  listed: ListedTool;
  scopes: readonly Scope[];
}

/** Returns all tools, by their names. */
export function composeTools(catalogue: OperationCatalogue): ReadonlyMap<string, ComposedTool> {
  const tools = [
    ...PROJECT_TOOLS,
    ...ISSUE_TOOLS,
    ...PULL_REQUEST_TOOLS,
    ...PAGE_TOOLS,
    ...operationTools(catalogue),
  ];
  return new Map(tools.map((tool) => [tool.name, compose(tool, catalogue)]));
}

/** @throws Error for an operation that does not exist */
function compose(tool: Tool, { operations }: OperationCatalogue): ComposedTool {
  const called = tool.operations.map((id) => {
    const operation = operations.get(id);
    if (!operation) throw new Error(`The tool ${tool.name} calls an unknown operation, ${id}.`);
    return operation;
  });
  const isReading = !tool.isDestructive && called.every(({ method }) => method === 'GET');
  const input = tool.input.strict();
  const { name, title, description } = tool;
  const annotations = {
    readOnlyHint: isReading,
    ...(!isReading && { destructiveHint: tool.isDestructive === true }),
    openWorldHint: false as const,
  };
  return {
    tool,
    input,
    listed: { name, title, description, inputSchema: schemaOf(input), annotations },
    scopes: [...new Set(called.flatMap(({ scopes }) => scopes))],
  };
}

function schemaOf(input: z.ZodObject): ListedTool['inputSchema'] {
  // An unknown parameter is refused with its name, which need not be said for each tool.
  const {
    $schema: _,
    additionalProperties: __,
    ...schema
  } = z.toJSONSchema(input, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // The bounds of every integer say nothing.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return schema as ListedTool['inputSchema'];
}

/** Returns the tools that a key can use: a key that only reads sees only tools that read. */
export function listTools(tools: ReadonlyMap<string, ComposedTool>, { scopes }: Caller): ListedTool[] {
  if (!scopes) return [...tools.values()].map(({ listed }) => listed);
  const onlyReads = ![...scopes].some((scope) => scope.startsWith('write'));
  return [...tools.values()]
    .filter(({ scopes: needed }) => missingScopes(scopes, needed).length === 0)
    .map(({ listed }) => {
      const annotations = { readOnlyHint: true, openWorldHint: false as const };
      return onlyReads ? { ...listed, annotations } : listed;
    });
}
