import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import { type DocumentDto } from '../../documents/dto/document.dto';
import { type WikiDto } from '../../wikis/dto/wiki.dto';
import { partOf } from '../answers/shorten';
import { ToolError } from '../answers/tool-error';
import { type OperationCaller } from '../operations/operation-caller';
import { projectIdOf } from './project-entries';
import { count, defineTool, issueKey, offset, pageOf, projectKey, repoName, textOffset } from './tool';

const wikiId = z.int().min(1);
const documentId = z.string();

/** Returns what is new about a wiki page for the client that has written it. */
const writtenWiki = ({ id, name, updated }: WikiDto): object => ({ wikiId: id, name, updated });

/** Returns a wiki page, with the part of its content from an offset on. */
function leanWiki(
  { id, name, tags, content, attachments, updatedUser, updated }: WikiDto,
  start = 0,
): object {
  const { text, next } = partOf(content, start);
  const files = attachments.map((file) => ({ id: file.id, name: file.name }));
  return {
    wikiId: id,
    name,
    tags: tags.map((tag) => tag.name),
    updatedUser: updatedUser.name,
    updated,
    attachments: files,
    content: text,
    next,
  };
}

const getWikiPages = defineTool({
  name: 'get_wiki_pages',
  title: 'Find wiki pages',
  description: 'Lists the wiki pages of a project by name, or those with a keyword.',
  input: z.object({ projectKey, keyword: z.string().optional(), count: count.default(100), offset }),
  operations: ['listWikis'],
  run: async (call, { projectKey: key, keyword, count: most, offset: start }) => {
    const query = { projectIdOrKey: key, keyword, fields: 'id,name,updated' };
    const pages = await call.json<WikiDto[]>('listWikis', { query });
    const shown = pages.slice(start, start + most);
    return {
      ...pageOf(pages.length, start, most),
      items: shown.map(({ id, name, updated }) => ({ wikiId: id, name, updated })),
    };
  },
});

const getWiki = defineTool({
  name: 'get_wiki',
  title: 'Read a wiki page',
  description: 'Returns a wiki page with its content.',
  input: z.object({ wikiId, offset: textOffset }),
  operations: ['getWiki'],
  run: async (call, input) =>
    leanWiki(await call.json<WikiDto>('getWiki', { path: { wikiId: input.wikiId } }), input.offset),
});

const addWiki = defineTool({
  name: 'add_wiki',
  title: 'Add a wiki page',
  description: 'Adds a wiki page to a project.',
  input: z.object({ projectKey, name: z.string(), content: z.string() }),
  operations: ['getProject', 'addWiki'],
  run: async (call, { projectKey: key, ...page }) => {
    const body = { ...page, projectId: await projectIdOf(call, key) };
    return writtenWiki(await call.json<WikiDto>('addWiki', { body }));
  },
});

const updateWiki = defineTool({
  name: 'update_wiki',
  title: 'Update a wiki page',
  description: 'Replaces the name or the whole content of a wiki page; its history keeps the old ones.',
  input: z.object({ wikiId, name: z.string().optional(), content: z.string().optional() }),
  operations: ['updateWiki'],
  run: async (call, { wikiId: id, ...body }) =>
    writtenWiki(await call.json<WikiDto>('updateWiki', { path: { wikiId: id }, body })),
});

/** Returns a document, with the part of its text from an offset on. */
function leanDocument(document: DocumentDto, start: number): object {
  const { text, next } = partOf(document.plain, start);
  return {
    documentId: document.id,
    title: document.title,
    updatedUser: document.updatedUser.name,
    updated: document.updated,
    attachments: document.attachments.map(({ id, name }) => ({ id, name })),
    content: text,
    next,
  };
}

const getDocuments = defineTool({
  name: 'get_documents',
  title: 'Find documents',
  description: 'Lists documents, newest first, of one project or all.',
  input: z.object({ projectKey: projectKey.optional(), keyword: z.string().optional(), count, offset }),
  operations: ['getProject', 'listDocuments'],
  run: async (call, { projectKey: key, ...query }) => {
    const projectId = key === undefined ? undefined : [await projectIdOf(call, key)];
    const documents = await call.json<DocumentDto[]>('listDocuments', { query: { ...query, projectId } });
    const isFull = documents.length === query.count;
    return {
      items: documents.map(({ id, title, updated }) => ({ documentId: id, title, updated })),
      next: isFull ? `Continue with offset=${query.offset + documents.length}.` : undefined,
    };
  },
});

const getDocument = defineTool({
  name: 'get_document',
  title: 'Read a document',
  description: 'Returns a document with its text.',
  input: z.object({ documentId, offset: textOffset }),
  operations: ['getDocument'],
  run: async (call, input) =>
    leanDocument(
      await call.json<DocumentDto>('getDocument', { path: { documentId: input.documentId } }),
      input.offset,
    ),
});

const addDocument = defineTool({
  name: 'add_document',
  title: 'Add a document',
  description: 'Adds a document to a project. content is Markdown.',
  input: z.object({ projectKey, title: z.string(), content: z.string(), parentId: documentId.optional() }),
  operations: ['getProject', 'addDocument'],
  run: async (call, { projectKey: key, ...document }) => {
    const body = { ...document, projectId: await projectIdOf(call, key) };
    const added = await call.json<DocumentDto>('addDocument', { body });
    return { documentId: added.id, title: added.title, updated: added.updated };
  },
});

/** Larger files are of no use to a model. */
const MAX_BASE64 = 18_000;

const getFile = defineTool({
  name: 'get_file',
  title: 'Read a file',
  description:
    'Returns a file: of a git repository (projectKey, repoName, path, ref) or attached to an issue (issueKey, attachmentId), a wiki page (wikiId, attachmentId) or a document (documentId, attachmentId).',
  input: z.object({
    projectKey: projectKey.optional(),
    repoName: repoName.optional(),
    path: z.string().optional(),
    ref: z.string().optional().describe('Branch, tag or commit'),
    issueKey: issueKey.optional(),
    wikiId: wikiId.optional(),
    documentId: documentId.optional(),
    attachmentId: z.int().min(1).optional(),
    offset: textOffset,
  }),
  operations: [],
  run: async (call, input) => {
    const { content, headers } = await download(call, input);
    const contentType = String(headers['content-type']);
    const text = content.toString('utf8');
    if (!content.includes(0) && isUtf8(content)) {
      const part = partOf(text, input.offset);
      return { contentType, size: content.length, text: part.text, next: part.next };
    }
    if (content.length > MAX_BASE64) {
      throw new ToolError(
        `The file is not text, and its ${content.length} bytes are too many for an answer.`,
      );
    }
    return { contentType, size: content.length, base64: content.toString('base64') };
  },
});

interface FilePlace {
  projectKey?: string;
  repoName?: string;
  path?: string;
  ref?: string;
  issueKey?: string;
  wikiId?: number;
  documentId?: string;
  attachmentId?: number;
}

/** @throws ToolError when the input names no file */
function download(call: OperationCaller, input: FilePlace): ReturnType<OperationCaller['call']> {
  const { projectKey: key, repoName: name, path, ref, attachmentId = 0 } = input;
  if (key !== undefined && name !== undefined && path !== undefined) {
    const place = { projectIdOrKey: key, repoIdOrName: name };
    return call.call('downloadGitFile', { path: place, query: { path, ref } });
  }
  if (attachmentId > 0 && input.issueKey !== undefined) {
    return call.call('downloadIssueAttachment', { path: { issueIdOrKey: input.issueKey, attachmentId } });
  }
  if (attachmentId > 0 && input.wikiId !== undefined) {
    return call.call('downloadWikiAttachment', { path: { wikiId: input.wikiId, attachmentId } });
  }
  if (attachmentId > 0 && input.documentId !== undefined) {
    return call.call('downloadDocumentAttachment', { path: { documentId: input.documentId, attachmentId } });
  }
  throw new ToolError(
    'Give projectKey, repoName and path, or attachmentId with one of issueKey, wikiId and documentId.',
  );
}

export const PAGE_TOOLS = [
  getWikiPages,
  getWiki,
  addWiki,
  updateWiki,
  getDocuments,
  getDocument,
  addDocument,
  getFile,
];
