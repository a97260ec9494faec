import { toTimestamp } from '../http/request/timestamp';
import { PRIORITIES } from '../project-settings/priorities';
import { RESOLUTIONS } from '../project-settings/resolutions';
import { type ExportedRecords } from './exported-records';
import { type CustomValue, ExportedSettings } from './exported-settings';
import {
  type Attachment,
  type Comment,
  type Document,
  type Issue,
  type Project,
  type PullRequest,
  type SharedFile,
  type Wiki,
} from './record-shapes';

/** A value as a person reads it. */
export type FieldValue = string | number | boolean | null | readonly string[];

/** The fields of an item by their names in the API: users by their login names, settings by their names, times and hours as in the API. */
export type Fields = Readonly<Record<string, FieldValue>>;

/** Something with comments and files. */
export interface ExportedItem {
  id: number;
  fields: Fields;
  threadId: number;
  /** The kind of the records that link its files, and of those that link shared files. */
  links: { files: string; sharedFiles?: string };
}

/** An issue with its custom fields. */
export interface ExportedIssue extends ExportedItem {
  values: readonly CustomValue[];
}

/** A document, with those above it from the top. */
export interface ExportedDocument extends ExportedItem {
  parentPath: readonly { id: number; title: string }[];
}

/** A file that is attached to an item. */
export type ExportedFile = Pick<Attachment, 'id' | 'name' | 'size'> & { fields: Fields };

/** A comment. `json` is the editor's document of a comment on a document. */
export interface ExportedComment {
  fields: Fields;
  content: string;
  json?: string;
  changeLog: Comment['changeLog'];
  /** The name of its author. */
  author: string;
}

/** A project of an export, whose items are read one by one. */
export class ExportedProject {
  readonly settings: ExportedSettings;

  constructor(
    readonly project: Project,
    private readonly records: ExportedRecords,
  ) {
    this.settings = new ExportedSettings(records, project.id);
  }

  get key(): string {
    return this.project.projectKey;
  }

  *issues(): Generator<ExportedIssue> {
    for (const issue of this.records.under<Issue>('issue', this.project.id)) {
      const { id, threadId } = issue;
      const links = { files: 'issueAttachment', sharedFiles: 'issueSharedFile' };
      yield { id, threadId, fields: this.issueFields(issue), values: this.settings.valuesOf(id), links };
    }
  }

  *wikis(): Generator<ExportedItem> {
    for (const wiki of this.records.under<Wiki>('wiki', this.project.id)) {
      const { id, threadId, name, content } = wiki;
      const tags = this.settings.namesOf('wikiTagging', id, 'tagId', 'wikiTag');
      const fields = { id, name, tags, content, ...this.edited(wiki) };
      yield { id, threadId, fields, links: { files: 'wikiAttachment', sharedFiles: 'wikiSharedFile' } };
    }
  }

  /** Yields the documents, parents before what is below them. */
  documents(): Generator<ExportedDocument> {
    return this.documentsBelow([]);
  }

  *pullRequests(): Generator<ExportedItem & { repository: string }> {
    const repositories = new Map(this.settings.repositories.map(({ id, name }) => [id, name]));
    for (const pullRequest of this.records.under<PullRequest>('pullRequest', this.project.id)) {
      const { id, threadId, number, summary, description, base, branch, statusId, assigneeId } = pullRequest;
      const repository = repositories.get(pullRequest.repositoryId) ?? '';
      const fields = {
        ...{ id, repository, number, summary, description, base, branch },
        status: PULL_REQUEST_STATUSES[statusId] ?? '',
        assignee: this.userId(assigneeId),
        issueId: pullRequest.issueId,
        baseCommit: pullRequest.baseCommit,
        branchCommit: pullRequest.branchCommit,
        mergeCommit: pullRequest.mergeCommit,
        closeAt: timeOf(pullRequest.closeAt),
        mergeAt: timeOf(pullRequest.mergeAt),
        ...this.edited(pullRequest),
      };
      yield { id, threadId, repository, fields, links: { files: 'pullRequestAttachment' } };
    }
  }

  *sharedFiles(): Generator<{ file: SharedFile; fields: Fields }> {
    for (const file of this.records.under<SharedFile>('sharedFile', this.project.id)) {
      const { id, dir, name, size } = file;
      const type = file.attachmentId === null ? 'directory' : 'file';
      yield { file, fields: { id, type, dir, name, size, ...this.edited(file) } };
    }
  }

  /** Yields the comments of an item, oldest first. */
  *commentsOf({ threadId }: Pick<ExportedItem, 'threadId'>): Generator<ExportedComment> {
    for (const comment of this.records.under<Comment>('comment', threadId)) {
      const { id, content, changeLog, createdUserId, created, updated } = comment;
      const json = this.records.find('documentComment', id)?.json;
      const fields = {
        ...{ id, content },
        createdUser: this.userId(createdUserId),
        created: toTimestamp(created),
        updated: toTimestamp(updated),
      };
      const author = this.records.find('user', createdUserId)?.name ?? '';
      yield { fields, content, changeLog, author, ...(json !== undefined && { json }) };
    }
  }

  /** Yields the files of an item. */
  *filesOf({ id, links }: Pick<ExportedItem, 'id' | 'links'>): Generator<ExportedFile> {
    for (const { attachmentId } of this.records.under<{ attachmentId: number }>(links.files, id)) {
      const file = this.fileOf(attachmentId);
      if (file) yield file;
    }
  }

  /** Returns an attached file, or that of a shared file. */
  fileOf(attachmentId: number): ExportedFile | undefined {
    const found = this.records.find('attachment', attachmentId);
    if (!found) return undefined;
    const { id, name, size, createdUserId, created } = found;
    const createdUser = this.userId(createdUserId);
    return { id, name, size, fields: { id, name, size, createdUser, created: toTimestamp(created) } };
  }

  /** Returns the paths of the shared files that an item links, within the shared files of the project. */
  sharedFilesOf({ id, links }: Pick<ExportedItem, 'id' | 'links'>): string[] {
    if (links.sharedFiles === undefined) return [];
    return Array.from(this.records.under<{ sharedFileId: number }>(links.sharedFiles, id)).flatMap((link) => {
      const file = this.records.findSharedFile(this.project.id, link.sharedFileId);
      return file ? [file.dir + file.name] : [];
    });
  }

  private *documentsBelow(parents: readonly Document[]): Generator<ExportedDocument> {
    const parent = parents.at(-1);
    const parentPath = parents.map(({ id, title }) => ({ id, title }));
    for (const documentId of this.records.childrenOf(this.project.id, parent?.id ?? null)) {
      const document = this.records.findDocument(documentId);
      if (!document) continue;
      const { id, uid, threadId, title, emoji, plain, json, removalDue } = document;
      const fields = {
        ...{ id: uid, title, emoji, plain, json },
        parentId: parent?.uid ?? null,
        isTrashed: removalDue !== null,
        tags: this.settings.namesOf('documentTagging', id, 'tagId', 'documentTag'),
        ...this.edited(document),
      };
      yield { id, threadId, fields, parentPath, links: { files: 'documentAttachment' } };
      yield* this.documentsBelow([...parents, document]);
    }
  }

  private issueFields(issue: Issue): Fields {
    const { settings } = this;
    const { id, keyId, summary, description, startDate, dueDate, parentIssueId } = issue;
    return {
      id,
      issueKey: `${this.key}-${keyId}`,
      issueType: settings.nameOf('issueType', issue.issueTypeId),
      summary,
      description,
      status: settings.nameOf('issueStatus', issue.statusId),
      priority: PRIORITIES.get(issue.priorityId) ?? '',
      resolution: issue.resolutionId === null ? null : (RESOLUTIONS.get(issue.resolutionId) ?? ''),
      assignee: this.userId(issue.assigneeId),
      category: settings.namesOf('issueCategory', id, 'categoryId', 'category'),
      versions: settings.namesOf('issueVersion', id, 'versionId', 'version'),
      milestone: settings.namesOf('issueMilestone', id, 'versionId', 'version'),
      startDate,
      dueDate,
      estimatedHours: hoursOf(issue.estimatedHours),
      actualHours: hoursOf(issue.actualHours),
      parentIssueId,
      ...this.edited(issue),
    };
  }

  private edited(row: {
    createdUserId: number;
    created: number;
    updatedUserId: number;
    updated: number;
  }): Record<'createdUser' | 'created' | 'updatedUser' | 'updated', string | null> {
    return {
      createdUser: this.userId(row.createdUserId),
      created: toTimestamp(row.created),
      updatedUser: this.userId(row.updatedUserId),
      updated: toTimestamp(row.updated),
    };
  }

  private userId(id: number | null): string | null {
    return id === null ? null : (this.records.find('user', id)?.userId ?? null);
  }
}

/** By their numbers on the wire. */
const PULL_REQUEST_STATUSES: Readonly<Partial<Record<number, string>>> = {
  1: 'Open',
  2: 'Closed',
  3: 'Merged',
};

const timeOf = (time: number | null): string | null => (time === null ? null : toTimestamp(time));

/** Hours are stored in hundredths. */
const hoursOf = (hundredths: number | null): number | null => (hundredths === null ? null : hundredths / 100);
