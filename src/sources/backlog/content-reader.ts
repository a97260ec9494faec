import { type SourceWikiVersion } from '../model';
import { SourceError } from '../source.error';
import { addressOf } from '../spool/json-api';
import { BacklogApi } from './backlog-api';
import { type Context, mostOf, readFiles, starsOf } from './context';
import * as wire from './wire';

/** The largest page of a folder of shared files. */
const FOLDER_PAGE = 1000;
const MAX_FOLDER_DEPTH = 20;
const AT_ONCE = 100;

/** Where a document is in the tree. */
interface Place {
  parentUid: string | null;
  depth: number;
  position: number;
  isTrashed: boolean;
}

/** Reads the shared files, the wiki pages and the documents of a project. */
export class ContentReader {
  constructor(private readonly context: Context) {}

  async sharedFiles({ id: projectId, projectKey }: wire.WireProject): Promise<void> {
    await this.folder(projectId, projectKey, [], new Set());
  }

  async wikis(project: wire.WireProject): Promise<void> {
    const { api, onProgress } = this.context;
    const pages = await api.optionalList(wire.wikiLine, '/wikis', { projectIdOrKey: project.id });
    if (!pages) return;
    for (let start = 0; start < pages.length; start += AT_ONCE) {
      const some = pages.slice(start, start + AT_ONCE);
      await Promise.all(
        some.map((page) =>
          api
            .about(page)
            .prefetch([
              addressOf(`/wikis/${page.id}`),
              addressOf(`/wikis/${page.id}/history`, BacklogApi.firstPage()),
            ]),
        ),
      );
      for (const page of some) await this.wiki(project, page);
      onProgress?.({
        what: `wiki pages of ${project.projectKey}`,
        done: start + some.length,
        total: pages.length,
      });
    }
  }

  async documents(project: wire.WireProject): Promise<void> {
    const { api, losses, onProgress } = this.context;
    const tree = await api.optional(wire.documentTree, '/documents/tree', { projectIdOrKey: project.id });
    if (!tree) {
      if (project.useDocument) losses.note('Documents, which the source does not show', project.projectKey);
      return;
    }
    const places = new Map([
      ...placesOf(tree.activeTree?.children ?? [], false),
      ...placesOf(tree.trashTree?.children ?? [], true),
    ]);
    const ids = await this.inOrder([...places.keys()]);
    this.context.builder.documentIds(ids);
    let done = 0;
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      const some = ids.slice(start, start + AT_ONCE);
      await api.prefetch(some.map((id) => addressOf(`/documents/${id}/comments`)));
      for (const id of some) {
        await this.document(project, id, places.get(id) as Place);
        done++;
        onProgress?.({ what: `documents of ${project.projectKey}`, done, total: ids.length });
      }
    }
  }

  /** Returns the ids of documents in the order of their creation, without those that the key may not see. */
  private async inOrder(ids: readonly string[]): Promise<string[]> {
    const { api } = this.context;
    const found: { id: string; created: number }[] = [];
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      const some = ids.slice(start, start + AT_ONCE);
      await api.prefetch(some.map((id) => addressOf(`/documents/${id}`)));
      for (const id of some) {
        const document = await api.find(wire.document, `/documents/${id}`);
        if (document) found.push({ id, created: document.created });
        else this.context.losses.note('Documents that the key may not see', id);
      }
    }
    found.sort((one, other) => one.created - other.created || (one.id < other.id ? -1 : 1));
    return found.map(({ id }) => id);
  }

  private async folder(
    projectId: number,
    projectKey: string,
    folder: readonly string[],
    seen: Set<number>,
  ): Promise<void> {
    const { api, losses } = this.context;
    const path = `/projects/${projectId}/files/metadata/${folder.map(encodeURIComponent).join('/')}`;
    if (folder.length > MAX_FOLDER_DEPTH) throw new SourceError(`The folders of ${projectKey} do not end.`);
    for (let offset = 0; ; offset += FOLDER_PAGE) {
      const query = { order: 'asc', count: FOLDER_PAGE, offset };
      const files = await api.optionalList(wire.sharedFile, path, query);
      if (!files) {
        losses.note('Shared files that the key may not see', projectKey);
        return;
      }
      const added = files.filter(({ id }) => !seen.has(id));
      if (files.length >= FOLDER_PAGE && added.length === 0) {
        throw new SourceError(`The list ${path} answers with the same page again.`);
      }
      for (const file of added) {
        seen.add(file.id);
        await this.sharedFile(projectId, file);
      }
      for (const { type, name } of added) {
        if (type === 'directory') await this.folder(projectId, projectKey, [...folder, name], seen);
      }
      if (files.length < FOLDER_PAGE) return;
    }
  }

  private async sharedFile(projectId: number, file: wire.WireSharedFile): Promise<void> {
    const { api, builder, people } = this.context;
    const { id, dir, name, created } = file;
    const createdUserId = people.idOf(file.createdUser);
    const isFile = file.type === 'file';
    builder.sharedFile({
      ...{ id, projectId, dir, name, createdUserId, created },
      updatedUserId: file.updatedUser ? people.idOf(file.updatedUser) : createdUserId,
      updated: file.updated ?? created,
      ...(isFile && {
        content: await api
          .about(file)
          .file(`/projects/${projectId}/files/${id}`, mostOf(file.size ?? 2 ** 40)),
      }),
    });
  }

  private async wiki({ id: projectId }: wire.WireProject, line: wire.WireWikiLine): Promise<void> {
    const { builder, people } = this.context;
    const api = this.context.api.about(line);
    const { id } = line;
    const page = await api.find(wire.wiki, `/wikis/${id}`);
    // It has been deleted since it was listed.
    if (!page) return;
    const { name, content, tags, created, updated } = page;
    const files = await readFiles(this.context, `/wikis/${id}/attachments`, page.attachments, created);
    await builder.wiki(
      {
        ...{ id, projectId, name, content, tags, files, created, updated },
        sharedFileIds: page.sharedFiles.map((file) => file.id),
        stars: starsOf(this.context, page.stars),
        createdUserId: people.idOf(page.createdUser),
        updatedUserId: people.idOf(page.updatedUser ?? page.createdUser),
      },
      this.versions(api, id),
    );
    builder.endSubject('wiki', id);
  }

  private async *versions(api: BacklogApi, wikiId: number): AsyncGenerator<SourceWikiVersion> {
    const { people } = this.context;
    const path = `/wikis/${wikiId}/history`;
    for await (const page of api.pagesById(wire.wikiVersion, ({ version }) => version, path)) {
      for (const { createdUser, ...version } of page) {
        yield { ...version, createdUserId: people.idOf(createdUser) };
      }
    }
  }

  private async document({ id: projectId }: wire.WireProject, uid: string, place: Place): Promise<void> {
    const { api, builder, people } = this.context;
    const document = await api.get(wire.document, `/documents/${uid}`);
    const { title, plain, json, tags, created, updated } = document;
    const comments = (await api.list(wire.documentComment, `/documents/${uid}/comments`)) ?? [];
    builder.document(
      {
        ...{ uid, projectId, title, plain, json, tags, created, updated, ...place },
        emoji: document.emoji ?? null,
        files: await readFiles(this.context, `/documents/${uid}/attachments`, document.attachments, created),
        createdUserId: people.idOf(document.createdUser),
        updatedUserId: people.idOf(document.updatedUser ?? document.createdUser),
      },
      comments
        .flatMap(({ replies, ...comment }) => [
          { ...comment, parentUid: null },
          ...replies.map((reply) => ({ ...reply, parentUid: comment.id })),
        ])
        .map((comment) => ({
          uid: comment.id,
          parentUid: comment.parentUid,
          json: comment.content,
          plain: comment.plain,
          createdUserId: people.idOf(comment.createdUser),
          created: comment.created,
          updated: comment.updated ?? comment.created,
        })),
    );
  }
}

/** Yields the places of documents; parents come before their children. */
function* placesOf(
  nodes: readonly wire.WireNode[],
  isTrashed: boolean,
  parentUid: string | null = null,
  depth = 1,
): Generator<[string, Place]> {
  for (const [position, { id, children }] of nodes.entries()) {
    yield [id, { parentUid, depth, position, isTrashed }];
    yield* placesOf(children, isTrashed, id, depth + 1);
  }
}
