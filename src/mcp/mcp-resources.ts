import { ToolError } from './answers/tool-error';
import { cut, toAnswerText } from './answers/shorten';
import { type OperationCaller } from './operations/operation-caller';

/** A kind of resource, addressed by a URI. */
interface ResourceKind {
  name: string;
  title: string;
  uriTemplate: string;
  mimeType: string;
  pattern: RegExp;
  /** Reads the resource with the parts of its URI. */
  read: (call: OperationCaller, parts: readonly string[]) => Promise<string>;
}

interface Texts {
  name: string;
  title: string;
  content: string;
  plain: string;
}

export const RESOURCES: readonly ResourceKind[] = [
  {
    name: 'issue',
    title: 'An issue',
    uriTemplate: 'issue://{issueKey}',
    mimeType: 'application/json',
    pattern: /^issue:\/\/([^/]+)$/,
    read: async (call, [issueIdOrKey = '']) =>
      toAnswerText(await call.json('getIssue', { path: { issueIdOrKey } })),
  },
  {
    name: 'wiki page',
    title: 'A wiki page',
    uriTemplate: 'wiki://{wikiId}',
    mimeType: 'text/markdown',
    pattern: /^wiki:\/\/(\d+)$/,
    read: async (call, [wikiId = '']) => {
      const { name, content } = await call.json<Texts>('getWiki', { path: { wikiId } });
      return `# ${name}\n\n${content}`;
    },
  },
  {
    name: 'document',
    title: 'A document',
    uriTemplate: 'document://{documentId}',
    mimeType: 'text/markdown',
    pattern: /^document:\/\/([^/]+)$/,
    read: async (call, [documentId = '']) => {
      const { title, plain } = await call.json<Texts>('getDocument', { path: { documentId } });
      return `# ${title}\n\n${plain}`;
    },
  },
  {
    name: 'file',
    title: 'A text file of a git repository',
    uriTemplate: 'repository://{projectKey}/{repoName}/{ref}/{+path}',
    mimeType: 'text/plain',
    pattern: /^repository:\/\/([^/]+)\/([^/]+)\/([^/]+)\/(.+)$/,
    read: async (call, [projectIdOrKey = '', repoIdOrName = '', ref, path]) => {
      const place = { path: { projectIdOrKey, repoIdOrName }, query: { ref, path } };
      const { content } = await call.call('downloadGitFile', place);
      if (content.includes(0)) throw new ToolError('The file is not a text.');
      return content.toString('utf8');
    },
  },
];

/**
 * Reads a resource.
 * @throws ToolError for an unknown form of address, or the answer of the operation
 */
export async function readResource(
  call: OperationCaller,
  uri: string,
): Promise<{ uri: string; mimeType: string; text: string }> {
  for (const { pattern, mimeType, read } of RESOURCES) {
    const parts = pattern.exec(uri)?.slice(1);
    if (parts) return { uri, mimeType, text: cut(await read(call, parts.map(decode)), MAX_LENGTH) };
  }
  throw new ToolError(`Valid addresses: ${RESOURCES.map(({ uriTemplate }) => uriTemplate).join(', ')}.`);
}

/** Maximum number of characters of a resource, which is read as a whole. */
const MAX_LENGTH = 100_000;

/** @throws ToolError for a wrong escape */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ToolError('The address has an invalid % sequence.');
  }
}
