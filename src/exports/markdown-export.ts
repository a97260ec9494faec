import { editorMarkdown } from './editor-markdown';
import { type ExportContext } from './export-context';
import {
  type ExportedComment,
  type ExportedItem,
  type ExportedProject,
  type Fields,
} from './exported-project';
import { type TextFile } from './folder-writer';
import { asText, definitionOf, frontMatter, linkTo } from './markdown-text';

const EXTENSION = '.md';

/** A file of an item, with what else it has. */
interface Page {
  path: string;
  title: string;
  /** The fields of its front matter. */
  fields: Readonly<Record<string, unknown>>;
  text: string;
}

/** A section of a project's index, whose items are written when it is. */
interface Section {
  title: string;
  folder: string;
  /** Writes the items, and yields a line of the index for each. */
  lines: (index: string) => AsyncGenerator<string>;
}

/** Writes projects as Markdown (`docs/export.md`): a file for each issue, page, document and pull request, with an index. */
export class MarkdownExport {
  constructor(private readonly context: ExportContext) {}

  async write(): Promise<void> {
    const { paths, writer } = this.context;
    const top = paths.file('', `index${EXTENSION}`, 'index');
    await writer.text(top, async (file) => {
      await file.write('# Projects\n\n');
      for (const { project, folder } of this.context.projects()) {
        const index = paths.file(folder, `index${EXTENSION}`, 'index');
        await this.project(project, folder, index);
        await file.write(`- ${linkTo(top, index, `${project.key} ${project.project.name}`)}\n`);
      }
    });
  }

  private async project(project: ExportedProject, folder: string, index: string): Promise<void> {
    const { projectKey, name, textFormattingRule, archived } = project.project;
    const sections: Section[] = [
      { title: 'Issues', folder: 'issues', lines: () => this.issues(project, folder, index) },
      { title: 'Wiki', folder: 'wiki', lines: () => this.wikis(project, folder, index) },
      { title: 'Documents', folder: 'documents', lines: () => this.documents(project, folder, index) },
      {
        title: 'Pull requests',
        folder: 'pull-requests',
        lines: () => this.pullRequests(project, folder, index),
      },
      { title: 'Files', folder: 'files', lines: () => this.sharedFiles(project, folder, index) },
    ];
    // The folders of sections get their names before anything else.
    for (const section of sections) this.sectionOf(project, folder, section.folder);
    await this.context.writer.text(index, async (file) => {
      await file.write(frontMatter({ projectKey, name, textFormattingRule, archived }));
      await file.write(`\n# ${asText(name)}\n`);
      for (const { title, lines } of sections) {
        let hasItems = false;
        for await (const line of lines(index)) {
          if (!hasItems) await file.write(`\n## ${title}\n\n`);
          hasItems = true;
          await file.write(`${line}\n`);
        }
      }
    });
  }

  private sectionOf({ project: { id } }: ExportedProject, folder: string, name: string): string {
    return this.context.paths.folder(folder, name, `section:${id}:${name}`);
  }

  private async *issues(project: ExportedProject, folder: string, index: string): AsyncGenerator<string> {
    const section = this.sectionOf(project, folder, 'issues');
    for (const issue of project.issues()) {
      const { summary, description, ...fields } = issue.fields;
      const values = issue.values.map(({ name, value, otherValue }): [string, unknown] => [
        name,
        otherValue === null ? value : { value, otherValue },
      ]);
      const customFields = values.length > 0 ? Object.fromEntries(values) : undefined;
      const key = String(fields.issueKey);
      const path = this.context.paths.file(section, key, issue.id, EXTENSION);
      const page = { path, title: `${key} ${String(summary)}`, fields: { ...fields, summary, customFields } };
      await this.page(project, issue, { ...page, text: String(description) });
      yield `- ${linkTo(index, path, page.title)} (${asText(String(fields.status))})`;
    }
  }

  private async *wikis(project: ExportedProject, folder: string, index: string): AsyncGenerator<string> {
    const section = this.sectionOf(project, folder, 'wiki');
    for (const wiki of project.wikis()) {
      const { content, ...fields } = wiki.fields;
      const name = String(fields.name);
      const [last = '', ...above] = name.split('/').reverse();
      const parent = this.folders(section, above.reverse(), `wiki:${project.project.id}`);
      const path = this.context.paths.file(parent, last, wiki.id, EXTENSION);
      await this.page(project, wiki, { path, title: name, fields, text: String(content) });
      yield `- ${linkTo(index, path, name)}`;
    }
  }

  private async *documents(project: ExportedProject, folder: string, index: string): AsyncGenerator<string> {
    const section = this.sectionOf(project, folder, 'documents');
    for (const { parentPath, ...document } of project.documents()) {
      const { json, plain, ...fields } = document.fields;
      const title = String(fields.title);
      const parent = parentPath.reduce(
        (above, one) => this.context.paths.folder(above, one.title, `document:${one.id}`),
        section,
      );
      const path = this.context.paths.file(parent, title, document.id, EXTENSION);
      const text = editorMarkdown(String(json), String(plain));
      await this.page(project, document, { path, title, fields, text });
      yield `${'  '.repeat(parentPath.length)}- ${linkTo(index, path, title)}`;
    }
  }

  private async *pullRequests(
    project: ExportedProject,
    folder: string,
    index: string,
  ): AsyncGenerator<string> {
    const section = this.sectionOf(project, folder, 'pull-requests');
    for (const { repository, ...pullRequest } of project.pullRequests()) {
      const { summary, description, ...fields } = pullRequest.fields;
      const parent = this.folders(section, [repository], `pullRequest:${project.project.id}`);
      const number = String(fields.number);
      const path = this.context.paths.file(parent, number, pullRequest.id, EXTENSION);
      const title = `${repository}#${number} ${String(summary)}`;
      await this.page(project, pullRequest, {
        path,
        title,
        fields: { ...fields, summary },
        text: String(description),
      });
      yield `- ${linkTo(index, path, title)} (${asText(String(fields.status))})`;
    }
  }

  private async *sharedFiles(
    project: ExportedProject,
    folder: string,
    index: string,
  ): AsyncGenerator<string> {
    const section = this.sectionOf(project, folder, 'files');
    for (const { file } of project.sharedFiles()) {
      if (file.attachmentId === null) continue;
      const above = file.dir.split('/').filter((name) => name !== '');
      const parent = this.folders(section, above, `file:${project.project.id}`);
      const path = this.context.paths.file(parent, file.name, file.id);
      if (await this.context.copy(file.attachmentId, path))
        yield `- ${linkTo(index, path, [...above, file.name].join('/'))}`;
    }
  }

  /** Returns the path of a folder below another. @param owner tells its folders from those of others */
  private folders(top: string, names: readonly string[], owner: string): string {
    let path = top;
    let key = owner;
    for (const name of names) {
      key += `/${name}`;
      path = this.context.paths.folder(path, name, key);
    }
    return path;
  }

  /** Writes an item with its files and comments. */
  private async page(
    project: ExportedProject,
    item: ExportedItem,
    { path, title, fields, text }: Page,
  ): Promise<void> {
    await this.context.writer.text(path, async (file) => {
      const sharedFiles = project.sharedFilesOf(item);
      await file.write(frontMatter({ ...fields, sharedFiles, ...this.ruleOf(project, item) }));
      await file.write(`\n# ${asText(title)}\n`);
      if (text.trim() !== '') await file.write(`\n${text.trimEnd()}\n`);
      await this.files(project, item, path, file);
      let hasComments = false;
      for (const comment of project.commentsOf(item)) {
        if (!hasComments) await file.write('\n## Comments\n');
        hasComments = true;
        await file.write(commentText(comment));
        this.context.progress();
      }
    });
    this.context.progress();
  }

  /** Documents are always Markdown; other texts are in the notation of the project. */
  private ruleOf({ project }: ExportedProject, { links }: ExportedItem): Fields {
    const isDocument = links.files === 'documentAttachment';
    return isDocument ? {} : { textFormattingRule: project.textFormattingRule };
  }

  private async files(
    project: ExportedProject,
    item: ExportedItem,
    path: string,
    file: TextFile,
  ): Promise<void> {
    const definitions: string[] = [];
    let hasFiles = false;
    for (const { id, name } of project.filesOf(item)) {
      const folder = this.context.paths.folder(parentOf(path), `${nameOf(path)}.files`, `files:${path}`);
      const copy = this.context.paths.file(folder, name, id);
      const isCopied = await this.context.copy(id, copy);
      if (!hasFiles) await file.write('\n## Attachments\n\n');
      hasFiles = true;
      await file.write(isCopied ? `- ${linkTo(path, copy, name)}\n` : `- ${asText(name)} (lost)\n`);
      const definition = isCopied ? definitionOf(path, copy, name) : undefined;
      if (definition !== undefined) definitions.push(definition);
    }
    if (definitions.length > 0) await file.write(`\n${definitions.join('\n')}\n`);
  }
}

function commentText({ author, fields, content, json, changeLog }: ExportedComment): string {
  const text = json === undefined ? content : editorMarkdown(json, content);
  const changes = changeLog.map(
    ({ field, originalValue, newValue }) =>
      `- ${asText(field)}: ${asText(shortened(originalValue))} → ${asText(shortened(newValue))}`,
  );
  const parts = [changes.join('\n'), text.trim() === '' ? '' : text.trimEnd()].filter((part) => part !== '');
  return `\n### ${asText(author)}, ${String(fields.created)}\n${parts.map((part) => `\n${part}\n`).join('')}`;
}

/** Change logs have whole descriptions. */
function shortened(text: string): string {
  const characters = [...text.slice(0, 2 * MAX_CHANGE)];
  return characters.length > MAX_CHANGE ? `${characters.slice(0, MAX_CHANGE).join('')}…` : text;
}

const MAX_CHANGE = 200;

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1, -EXTENSION.length);
