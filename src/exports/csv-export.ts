import { type ExportContext } from './export-context';
import { type ExportedItem, type ExportedProject, type Fields } from './exported-project';
import { type Cell, csvRow } from './csv';

const EDITED = ['createdUser', 'created', 'updatedUser', 'updated'];
const ISSUE = [
  ...[
    'id',
    'issueKey',
    'issueType',
    'summary',
    'description',
    'resolution',
    'priority',
    'status',
    'assignee',
  ],
  ...['category', 'versions', 'milestone', 'startDate', 'dueDate', 'estimatedHours', 'actualHours'],
  ...['parentIssueId', ...EDITED, 'attachments', 'sharedFiles'],
];
const COLUMNS = {
  users: ['id', 'userId', 'name', 'roleType', 'lang', 'mailAddress'],
  projects: ['id', 'projectKey', 'name', 'textFormattingRule', 'archived'],
  issueTypes: ['id', 'name', 'color', 'templateSummary', 'templateDescription'],
  statuses: ['id', 'name', 'color'],
  categories: ['id', 'name'],
  versions: ['id', 'name', 'description', 'startDate', 'releaseDueDate', 'archived'],
  customFields: ['id', 'typeId', 'name', 'description', 'required', 'items'],
  comments: ['id', 'type', 'of', 'content', 'changeLog', 'createdUser', 'created', 'updated'],
  wikis: ['id', 'name', 'tags', 'content', ...EDITED, 'attachments', 'sharedFiles'],
  documents: [
    'id',
    'parentId',
    'title',
    'emoji',
    'tags',
    'isTrashed',
    'plain',
    'json',
    ...EDITED,
    'attachments',
  ],
  pullRequests: [
    ...[
      'id',
      'repository',
      'number',
      'summary',
      'description',
      'base',
      'branch',
      'status',
      'assignee',
      'issueId',
    ],
    ...['baseCommit', 'branchCommit', 'mergeCommit', 'closeAt', 'mergeAt', ...EDITED, 'attachments'],
  ],
  sharedFiles: ['id', 'type', 'dir', 'name', 'size', ...EDITED, 'path'],
  attachments: ['id', 'type', 'of', 'name', 'size', 'createdUser', 'created', 'path'],
} as const;

/** The records of settings, by the names of their tables. */
const SETTINGS = {
  issueTypes: 'issueType',
  statuses: 'issueStatus',
  categories: 'category',
  versions: 'version',
} as const;

/** Takes a row by the names of its columns. */
type AddRow = (fields: Readonly<Record<string, Cell>>) => Promise<void>;

/** The tables that several kinds of items share. */
interface SharedTables {
  comments: AddRow;
  attachments: AddRow;
}

/** Writes projects as tables (`docs/export.md`): a folder for each, with a file for each kind of item. */
export class CsvExport {
  /** @param isRaw whether texts that a spreadsheet takes for formulas stay as they are */
  constructor(
    private readonly context: ExportContext,
    private readonly isRaw: boolean,
  ) {}

  async write(): Promise<void> {
    const { records } = this.context;
    await this.table('users.csv', COLUMNS.users, (add) => addAll(add, records.all('user')));
    await this.table('projects.csv', COLUMNS.projects, (add) => addAll(add, records.all('project')));
    for (const { project, folder } of this.context.projects()) await this.project(project, folder);
  }

  private async project(project: ExportedProject, folder: string): Promise<void> {
    const { records } = this.context;
    for (const [name, kind] of Object.entries(SETTINGS) as [keyof typeof SETTINGS, string][]) {
      await this.table(`${folder}/${name}.csv`, COLUMNS[name], (add) =>
        addAll(add, records.under(kind, project.project.id)),
      );
    }
    await this.table(`${folder}/customFields.csv`, COLUMNS.customFields, async (add) => {
      for (const field of project.settings.customFields) {
        const items = Array.from(
          records.under<{ name: string }>('customFieldItem', field.id),
          ({ name }) => name,
        );
        const { id, typeId, name, description, required } = field;
        await add({ id, typeId, name, description, required, items });
      }
    });
    await this.table(`${folder}/comments.csv`, COLUMNS.comments, (comments) =>
      this.table(`${folder}/attachments.csv`, COLUMNS.attachments, (attachments) =>
        this.items(project, folder, { comments, attachments }),
      ),
    );
    await this.table(`${folder}/sharedFiles.csv`, COLUMNS.sharedFiles, (add) =>
      this.sharedFiles(project, folder, add),
    );
  }

  private async items(project: ExportedProject, folder: string, tables: SharedTables): Promise<void> {
    const { customFields } = project.settings;
    const custom = customFields.flatMap(({ id }) => [`customField_${id}`, `customField_${id}_otherValue`]);
    await this.table(`${folder}/issues.csv`, [...ISSUE, ...custom], async (add) => {
      for (const issue of project.issues()) {
        const values: Record<string, Cell> = {};
        for (const { id, value, otherValue } of issue.values) {
          values[`customField_${id}`] = value;
          values[`customField_${id}_otherValue`] = otherValue;
        }
        const of = String(issue.fields.issueKey);
        const files = await this.belongings(project, folder, issue, { type: 'issue', of }, tables);
        await add({ ...issue.fields, ...values, ...files });
      }
    });
    await this.table(`${folder}/pullRequests.csv`, COLUMNS.pullRequests, async (add) => {
      for (const pullRequest of project.pullRequests()) {
        const { repository, fields } = pullRequest;
        const of = `${repository}#${String(fields.number)}`;
        const place = { type: 'pullRequest', of };
        await add({ ...fields, ...(await this.belongings(project, folder, pullRequest, place, tables)) });
      }
    });
    await this.table(`${folder}/wikis.csv`, COLUMNS.wikis, async (add) => {
      for (const wiki of project.wikis()) {
        const place = { type: 'wiki', of: String(wiki.id) };
        await add({ ...wiki.fields, ...(await this.belongings(project, folder, wiki, place, tables)) });
      }
    });
    await this.table(`${folder}/documents.csv`, COLUMNS.documents, async (add) => {
      for (const document of project.documents()) {
        const place = { type: 'document', of: String(document.fields.id) };
        await add({
          ...document.fields,
          ...(await this.belongings(project, folder, document, place, tables)),
        });
      }
    });
  }

  /** Writes the comments and files of an item. @returns the fields that name its files */
  private async belongings(
    project: ExportedProject,
    folder: string,
    item: ExportedItem,
    place: { type: string; of: string },
    { comments, attachments }: SharedTables,
  ): Promise<Record<string, Cell>> {
    this.context.progress();
    for (const { fields, changeLog } of project.commentsOf(item)) {
      await comments({
        ...place,
        ...fields,
        changeLog: changeLog.length === 0 ? '' : JSON.stringify(changeLog),
      });
      this.context.progress();
    }
    const paths: string[] = [];
    for (const { id, name, fields } of project.filesOf(item)) {
      const path = await this.file(folder, id, name);
      if (path !== '') paths.push(path);
      await attachments({ ...place, ...fields, path });
    }
    return { attachments: paths, sharedFiles: project.sharedFilesOf(item) };
  }

  private async sharedFiles(project: ExportedProject, folder: string, add: AddRow): Promise<void> {
    for (const { file, fields } of project.sharedFiles()) {
      const path = file.attachmentId === null ? '' : await this.file(folder, file.attachmentId, file.name);
      await add({ ...fields, path });
    }
  }

  /** Copies a file. @returns its path below the folder of the project; `''` if its content is lost */
  private async file(folder: string, id: number, name: string): Promise<string> {
    const path = this.context.paths.file(`${folder}/attachments`, `${id}-${name}`, id);
    return (await this.context.copy(id, path)) ? path.slice(folder.length + 1) : '';
  }

  private async table(
    path: string,
    columns: readonly string[],
    fill: (add: AddRow) => Promise<void>,
  ): Promise<void> {
    await this.context.writer.text(path, async (file) => {
      await file.write(csvRow(columns, true));
      await fill((fields) =>
        file.write(
          csvRow(
            columns.map((column) => fields[column]),
            this.isRaw,
          ),
        ),
      );
    });
  }
}

async function addAll(add: AddRow, records: Iterable<Fields>): Promise<void> {
  for (const record of records) await add(record);
}
