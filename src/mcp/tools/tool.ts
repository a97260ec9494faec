import * as z from 'zod';
import { FILE } from './uploads';
import { type OperationCaller } from '../operations/operation-caller';

/** A tool of the MCP server. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Input;
  /** The ids of the operations that it always calls: a key needs the scopes of all of them to see the tool. */
  operations: readonly string[];
  /** Whether what it does cannot be undone. */
  isDestructive?: true;
  /**
   * Calls the operations and returns the lean answer: an object, a list as `{ items, next }`, or a text.
   * @throws ToolError
   */
  run: (call: OperationCaller, input: z.infer<Input>) => Promise<unknown>;
}

/** Declares a tool with the types of its input. */
export const defineTool = <Input extends z.ZodObject>(tool: Tool<Input>): Tool => tool;

/** Parameters that several tools have. */
export const projectKey = z.string().describe('Key or id of the project, such as DEMO');
export const issueKey = z.string().describe('Key or id of the issue, such as DEMO-12');
export const repoName = z.string().describe('Name of the git repository');
export const pullRequestNumber = z.int().min(1).describe('Number of the pull request');
export const count = z.int().min(1).max(100).default(20);
export const offset = z.int().min(0).default(0);
export const textOffset = z.int().min(0).default(0).describe('Where to continue a long text, in characters');
/** Refers to one of the project's entries. */
export const nameOrId = z.union([z.string(), z.int()]);
export const files = z.array(FILE).max(10).describe('Files to attach, each with text or base64');

/**
 * Returns the total of a list, and how to continue after a page.
 * @param most maximum number of records of the page
 */
export function pageOf(total: number, start: number, most: number): { total: number; next?: string } {
  const end = Math.min(start + most, total);
  return end < total ? { total, next: `${total - end} more: continue with offset=${end}.` } : { total };
}
