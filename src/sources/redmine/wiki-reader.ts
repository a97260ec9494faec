import { type SourceWikiVersion } from '../model';
import { SourceError } from '../source.error';
import { addressOf } from '../spool/json-api';
import { type Context, readFiles } from './context';
import { type OpenProject } from './project-reader';
import { type RedmineApi } from './redmine-api';
import * as wire from './wire';

const AT_ONCE = 100;
/** Versions of one page, after which a source is taken for one that never ends. */
const MAX_VERSIONS = 50_000;
const FILES = { include: 'attachments' };

/** Reads the wiki pages of a project with their histories. */
export class WikiReader {
  constructor(
    private readonly context: Context,
    private readonly open: OpenProject,
  ) {}

  async read(): Promise<void> {
    const { api, onProgress } = this.context;
    const { project, wikiPages } = this.open;
    for (let start = 0; start < wikiPages.length; start += AT_ONCE) {
      const some = wikiPages.slice(start, start + AT_ONCE);
      await Promise.all(
        some.map((line) => api.about(line).prefetch([addressOf(`${this.pathOf(line.title)}.json`, FILES)])),
      );
      for (const line of some) await this.page(line);
      const done = start + some.length;
      onProgress?.({ what: `wiki pages of ${project.key}`, done, total: wikiPages.length });
    }
  }

  private async page(line: wire.WireWikiLine): Promise<void> {
    const { builder, people, losses } = this.context;
    const { project, pages } = this.open;
    const { title } = line;
    const api = this.context.api.about(line);
    const found = await api.find(wire.oneWikiPage, `${this.pathOf(title)}.json`, FILES);
    if (!found) {
      losses.note('Wiki pages that were deleted while they were read', title);
      return;
    }
    const { wiki_page: page } = found;
    const { version, author, created_on: created, updated_on: updated } = page;
    if (version > MAX_VERSIONS) throw new SourceError(`The versions of the wiki page ${title} do not end.`);
    const id = builder.newId('wiki');
    const first = version === 1 ? page : await this.version(api, title, 1);
    await builder.wiki(
      {
        ...{ id, projectId: project.id, name: pages.nameOf(title), created, updated },
        content: this.textOf(page),
        createdUserId: people.idOf(first ? first.author : author),
        updatedUserId: people.idOf(author),
        files: await readFiles(this.context, page.attachments),
        tags: [],
        sharedFileIds: [],
        stars: [],
      },
      this.versions(api, title, page),
    );
    builder.endSubject('wiki', id);
  }

  private async *versions(
    api: RedmineApi,
    title: string,
    page: wire.WireWikiPage,
  ): AsyncGenerator<SourceWikiVersion> {
    const { people, losses } = this.context;
    for (let start = 1; start <= page.version; start += AT_ONCE) {
      const end = Math.min(start + AT_ONCE, page.version);
      const numbers = Array.from({ length: end - start }, (_, index) => start + index);
      await api.prefetch(numbers.map((number) => addressOf(this.versionPath(title, number))));
    }
    const name = this.open.pages.nameOf(title);
    for (let number = 1; number <= page.version; number++) {
      const version = number === page.version ? page : await this.version(api, title, number);
      if (!version) {
        losses.note('Versions of wiki pages that were deleted, or that the key may not see', title);
        continue;
      }
      if (version.comments !== '') losses.note('Comments on versions of wiki pages', title);
      yield {
        ...{ version: number, name, content: this.textOf(version), created: version.updated_on },
        createdUserId: people.idOf(version.author),
      };
    }
  }

  private async version(
    api: RedmineApi,
    title: string,
    number: number,
  ): Promise<wire.WireWikiPage | undefined> {
    return (await api.find(wire.oneWikiPage, this.versionPath(title, number)))?.wiki_page;
  }

  private textOf({ title, text }: wire.WireWikiPage): string {
    const { project, pages } = this.open;
    return this.context.texts.toMarkdown(text, pages, `${project.key}, wiki page ${title}`);
  }

  private pathOf(title: string): string {
    return `/projects/${this.open.project.id}/wiki/${encodeURIComponent(title)}`;
  }

  private versionPath(title: string, number: number): string {
    return `${this.pathOf(title)}/${number}.json`;
  }
}
