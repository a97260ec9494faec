import { extractTexts } from '../activities/text-references';
import { textPeriodAt } from '../activities/text-period';
import { type RecordKind, toRecord, toRow } from '../archives/record-kinds';
import { beginningOf } from '../archives/record-limits';
import { toStored } from '../custom-fields/numbers';
import { documentSize } from '../documents/document-size';
import { declared } from '../manifests';
import { foldName } from '../project-settings/fold-name';
import { folderOf, parsePath, pathKeyOf } from '../shared-files/shared-path';
import { TOP_FOLDER } from '../shared-files/folder';
import { sizeText } from '../quantities';
import { FIRST_GIVEN_ID, type RecordSpool } from '../archives/data/record-spool';
import { type Losses } from './losses';
import {
  type FileSpace,
  type SourceActivity,
  type SourceComment,
  type SourceCustomField,
  type SourceDocument,
  type SourceDocumentComment,
  type SourceFile,
  type SourceIssue,
  type SourceIssueType,
  type SourceMember,
  type SourceNotification,
  type SourceProject,
  type SourcePullRequest,
  type SourceRepository,
  type SourceSetting,
  type SourceSharedFile,
  type SourceStar,
  type SourceStatus,
  type SourceTeam,
  type SourceUser,
  type SourceVersion,
  type SourceWatching,
  type SourceWebhook,
  type SourceWiki,
  type SourceWikiVersion,
} from './model';
import { SourceError } from './source.error';
import { type KeptFile } from './spool/spool';

/** The kind under which the contents of files are kept beside the records. */
export const FILES = '#file';
/** The kind under which the folders of clones are kept. */
export const CLONES = '#clone';
/** The time for which documents stay in the trash of the new installation. */
const TRASH_MS = 30 * 24 * 60 * 60_000;
const TEXT_KEY_LENGTH = 100;
/** The longest text, and the longest value in a change log, in bytes as JSON: a record must not exceed `MAX_RECORD_BYTES`. */
const MAX_TEXT_BYTES = 4.5 * 1024 * 1024;
const MAX_CHANGE_BYTES = 512 * 1024;
const LAST_STANDARD_STATUS = 4;

/** The content of a file of the archive. */
export interface BuiltFile extends KeptFile {
  id: number;
  space: string;
}

type Values = Record<string, unknown>;

type Named = Pick<SourceSetting, 'id' | 'projectId' | 'name'> & Values;

/** The thread of an issue, a wiki page, a pull request or a document, with what its stars need. */
interface Subject {
  threadId: number;
  projectId: number;
  authorId: number;
  developersOnly?: boolean;
}

/**
 * Makes the records of an archive of what a source yields: threads, keys of names, counters and links. Ids of the source are kept;
 * where it has none, or where two of its kinds share one, records get ids behind the largest of the source
 * (`docs/decisions/0070-sources.md`).
 */
export class ArchiveBuilder {
  private readonly kinds: ReadonlyMap<string, RecordKind>;
  private readonly given = new Map<string, number>();
  private readonly names = new Set<string>();
  private readonly used = new Map<number, Map<string, number>>();
  private readonly lastNumbers = new Map<number, number>();
  private readonly standardStatuses = new Map<string, number>();
  private readonly threads = new Map<string, Subject>();
  private readonly otherIds = new Map<string, number>();
  private readonly repositories = new Map<number, SourceRepository & { lastNumber: number }>();
  private readonly projectsCreated = new Map<number, number>();

  /** @param time of the reading, in milliseconds */
  constructor(
    kinds: readonly RecordKind[],
    readonly records: RecordSpool,
    readonly losses: Losses,
    private readonly time: number,
  ) {
    this.kinds = new Map(kinds.map((kind) => [kind.name, kind]));
  }

  /** Returns an id for something that has none in the source. */
  newId(kind: string): number {
    const number = (this.given.get(kind) ?? 0) + 1;
    this.given.set(kind, number);
    return FIRST_GIVEN_ID + number;
  }

  /** Whether there is a record with an id. */
  has(kind: string, id: number): boolean {
    return this.records.find(kind, [id]) !== undefined;
  }

  user({ vendor, isGone, ...user }: SourceUser, created: number): void {
    this.add('user', {
      ...user,
      active: !isGone,
      disabled: false,
      placeholder: false,
      created,
      vendorId: vendor?.id ?? '',
      vendorName: vendor?.name ?? user.name,
      vendorUniqueId: vendor?.uniqueId ?? user.userId,
    });
  }

  team({ memberIds, ...team }: SourceTeam): void {
    this.add('team', team);
    for (const userId of memberIds) this.add('teamMember', { teamId: team.id, userId });
  }

  project(
    project: SourceProject,
    created: number,
    members: readonly SourceMember[],
    teams: readonly { id: number; memberIds: readonly number[] }[],
  ): void {
    this.add('project', { ...project, created });
    this.projectsCreated.set(project.id, created);
    for (const { id } of teams) this.add('projectTeam', { projectId: project.id, teamId: id });
    for (const { userId, isAdministrator, isDirect } of members) {
      const teamCount = teams.filter(({ memberIds }) => memberIds.includes(userId)).length;
      this.add('projectMember', {
        projectId: project.id,
        userId,
        // Only direct members can be administrators; and who is no member of a known team is one directly.
        projectAdministrator: isAdministrator,
        direct: isDirect || isAdministrator || teamCount === 0,
        teamCount,
        created,
      });
    }
  }

  projectIcon(projectId: number, file: SourceFile): void {
    this.add('projectIcon', { subjectId: projectId, attachmentId: this.file('icon', file) });
  }

  issueType(setting: SourceIssueType): void {
    this.setting('issueType', { ...setting });
  }

  status(setting: SourceStatus): void {
    const { id, projectId } = setting;
    const isStandard = id <= LAST_STANDARD_STATUS;
    const key = `${projectId} ${id}`;
    if (isStandard && this.standardStatuses.has(key)) return;
    const rowId = isStandard ? this.newId('issueStatus') : id;
    if (isStandard) this.standardStatuses.set(key, rowId);
    this.setting('issueStatus', { ...setting, id: rowId, standard: isStandard ? id : null });
  }

  category(setting: SourceSetting): void {
    this.setting('category', { ...setting });
  }

  version(setting: SourceVersion): void {
    this.setting('version', { ...setting });
  }

  customField({ issueTypeIds, items, ...field }: SourceCustomField): void {
    if (!this.setting('customField', field)) return;
    for (const issueTypeId of issueTypeIds) {
      if (this.has('issueType', issueTypeId)) {
        this.add('customFieldIssueType', { customFieldId: field.id, issueTypeId });
      }
    }
    for (const item of items) this.customFieldItem(field.id, item);
  }

  customFieldItem(customFieldId: number, item: { id: number; name: string; displayOrder: number }): void {
    if (this.has('customFieldItem', item.id)) return;
    const name = this.freeName(`item ${customFieldId}`, item.name);
    this.add('customFieldItem', { ...item, customFieldId, name, nameKey: foldName(name) });
  }

  webhook({ isEnabled, ...webhook }: SourceWebhook): void {
    this.add('webhook', webhook);
    this.add('webhookHealth', { webhookId: webhook.id, enabled: isEnabled });
  }

  issue(issue: SourceIssue): void {
    const { id, projectId } = issue;
    const statusId = this.statusRow(projectId, issue.statusId);
    if (this.has('issue', id)) return;
    const subject = this.thread('issue', id, projectId, issue.createdUserId);
    this.add('issue', {
      ...issue,
      statusId,
      threadId: subject.threadId,
      estimatedHours: hundredths(issue.estimatedHours),
      actualHours: hundredths(issue.actualHours),
    });
    this.lastNumbers.set(projectId, Math.max(this.lastNumbers.get(projectId) ?? 0, issue.keyId));
    for (const categoryId of issue.categoryIds) this.add('issueCategory', { issueId: id, categoryId });
    for (const versionId of issue.versionIds) this.add('issueVersion', { issueId: id, versionId });
    for (const versionId of issue.milestoneIds) this.add('issueMilestone', { issueId: id, versionId });
    for (const { customFieldId, text, number, date, other, itemIds } of issue.customValues) {
      for (const itemId of itemIds) this.add('issueCustomFieldItem', { issueId: id, itemId });
      if ((text ?? number ?? date ?? other) === null) continue;
      this.add('issueCustomField', {
        issueId: id,
        customFieldId,
        textValue: text,
        textKey: text === null ? null : firstCharacters(text),
        numberValue: number === null ? null : toStored(number),
        dateValue: date,
        otherValue: other,
      });
    }
    for (const file of issue.files) this.attach('issue', { issueId: id }, file);
    for (const sharedFileId of issue.sharedFileIds) {
      this.add('issueSharedFile', { issueId: id, sharedFileId });
    }
    for (const star of issue.stars) this.star(star, subject, null);
  }

  /** Adds a comment of an issue or a pull request, and what its readers see with it. */
  comment(of: 'issue' | 'pullRequest', id: number, comment: SourceComment): void {
    const subject = this.subject(of, id);
    const { stars, notifications, ...values } = comment;
    const commentId = this.ownId('comment', of, comment.id);
    const cut = (text: string): string => this.cut(text, MAX_CHANGE_BYTES, 'changeLog of comment', commentId);
    const changeLog = comment.changeLog.map((entry) => ({
      ...entry,
      newValue: cut(entry.newValue),
      originalValue: cut(entry.originalValue),
      attachmentInfo: entry.attachmentInfo && {
        ...entry.attachmentInfo,
        id: this.knownId('attachment', of, entry.attachmentInfo.id),
      },
    }));
    this.add('comment', { ...values, id: commentId, threadId: subject.threadId, changeLog });
    for (const star of stars) {
      this.star(star, { ...subject, authorId: comment.createdUserId }, commentId);
    }
    for (const notification of notifications) {
      this.notification(notification, subject, commentId, comment);
    }
  }

  relatedIssues(one: number, other: number, created: number): void {
    const [firstIssueId, secondIssueId] = one < other ? [one, other] : [other, one];
    if (one !== other) this.add('relatedIssue', { firstIssueId, secondIssueId, created });
  }

  watching(watching: SourceWatching): void {
    const issue = this.records.find('issue', [watching.issueId]);
    if (issue) this.add('watching', { ...watching, projectId: issue.projectId, alreadyRead: true });
  }

  sharedFile(shared: SourceSharedFile): void {
    const { content, dir, name, ...file } = shared;
    const folder = parsePath(dir);
    if (!folder || !parsePath(`${dir}${name}`)) {
      this.losses.note('Shared files whose names the service does not allow', `${dir}${name}`);
      return;
    }
    const pathKey = pathKeyOf([...folder, name]);
    const folderKey = `${shared.projectId} ${pathKeyOf(folder)}`;
    const folderId =
      folder.length === 0 ? TOP_FOLDER : (this.records.find('#path', [folderKey])?.id as number | undefined);
    if (folderId === undefined) {
      this.losses.note('Shared files whose folders cannot be read', `${dir}${name}`);
      return;
    }
    if (content) {
      const { createdUserId, updated: created } = shared;
      const attachmentId = this.file('shared', { name, content, createdUserId, created });
      this.add('sharedFile', { ...file, dir, name, folderId, pathKey, attachmentId, size: content.size });
    } else {
      this.records.add('#path', [`${shared.projectId} ${pathKey}`], { id: shared.id });
      this.add('sharedFile', {
        ...file,
        dir: folderOf(folder),
        name,
        folderId,
        pathKey,
        attachmentId: null,
        size: null,
      });
    }
  }

  /** @param versions from the first on */
  async wiki(wiki: SourceWiki, versions: AsyncIterable<SourceWikiVersion>): Promise<void> {
    const { id, projectId } = wiki;
    const subject = this.thread('wiki', id, projectId, wiki.createdUserId);
    let last = 0;
    let stored: { version: number; content: string } | undefined;
    for await (const { content, ...version } of versions) {
      const isSame = content === stored?.content;
      if (!isSame) stored = { version: version.version, content };
      this.add('wikiVersion', {
        ...version,
        wikiId: id,
        content: isSame ? '' : content,
        contentVersion: isSame ? (stored as { version: number }).version : null,
      });
      last = Math.max(last, version.version);
    }
    if (last === 0) {
      const { name, content, updatedUserId: createdUserId, updated: created } = wiki;
      const version = { wikiId: id, version: 1, name, content, contentVersion: null, createdUserId, created };
      this.add('wikiVersion', version);
    }
    this.add('wiki', { ...wiki, threadId: subject.threadId, version: Math.max(last, 1) });
    for (const tag of wiki.tags) {
      this.add('wikiTag', { ...tag, projectId });
      this.add('wikiTagging', { wikiId: id, tagId: tag.id });
    }
    for (const file of wiki.files) this.attach('wiki', { wikiId: id }, file);
    for (const sharedFileId of wiki.sharedFileIds) this.add('wikiSharedFile', { wikiId: id, sharedFileId });
    for (const star of wiki.stars) this.star(star, subject, null);
  }

  /** Gives documents their ids: lists show those of the same time in this order. */
  documentIds(uids: Iterable<string>): void {
    for (const uid of uids) this.records.add('#document', [uid], { id: this.newId('document') });
  }

  /** Adds a document that has an id. */
  document(source: SourceDocument, comments: readonly SourceDocumentComment[]): void {
    const { uid, projectId, parentUid, tags, files, isTrashed, ...document } = source;
    const idOf = (one: string): number | null =>
      (this.records.find('#document', [one])?.id as number | undefined) ?? null;
    const id = idOf(uid);
    if (id === null) throw new Error(`The document ${uid} has no id`);
    const parentId = parentUid === null ? null : idOf(parentUid);
    const { threadId } = this.thread('document', id, projectId, source.createdUserId);
    this.add('document', {
      ...document,
      id,
      uid,
      projectId,
      parentId,
      threadId,
      size: documentSize(source),
      statusId: isTrashed ? 2 : 1,
      removalDue: isTrashed ? this.time + TRASH_MS : null,
    });
    for (const tag of tags) {
      this.add('documentTag', { ...tag, projectId });
      this.add('documentTagging', { documentId: id, tagId: tag.id });
    }
    for (const file of files) this.attach('document', { documentId: id }, file);
    const ids = new Map<string, number>();
    for (const { uid: commentUid, parentUid: repliesTo, json, plain, ...comment } of comments) {
      const commentId = this.newId('comment');
      ids.set(commentUid, commentId);
      this.add('comment', { ...comment, id: commentId, threadId, content: plain, changeLog: [] });
      this.add('documentComment', {
        commentId,
        uid: commentUid,
        parentId: repliesTo === null ? null : (ids.get(repliesTo) ?? null),
        json,
      });
    }
    this.threads.delete(`document ${id}`);
  }

  /** @param clone the folder of a bare clone */
  repository(repository: SourceRepository, clone: { path: string; head: string } | undefined): void {
    this.repositories.set(repository.id, { ...repository, lastNumber: 0 });
    if (clone) this.records.add(CLONES, [repository.id], { id: repository.id, ...clone });
  }

  pullRequest(pullRequest: SourcePullRequest): void {
    const { id, projectId, repositoryId } = pullRequest;
    const { threadId } = this.thread('pullRequest', id, projectId, pullRequest.createdUserId, true);
    const repository = this.repositories.get(repositoryId);
    if (!repository)
      throw new SourceError(`The source has a pull request of an unknown repository ${repositoryId}.`);
    repository.lastNumber = Math.max(repository.lastNumber, pullRequest.number);
    this.add('pullRequest', { ...pullRequest, threadId });
    for (const file of pullRequest.files) this.attach('pullRequest', { pullRequestId: id }, file);
    for (const star of pullRequest.stars) this.star(star, this.subject('pullRequest', id), null);
  }

  activity({ projectId, ...activity }: SourceActivity): void {
    const period = textPeriodAt(this.time);
    const { content, texts } = extractTexts({ projectId, period }, activity.content);
    this.add('activity', { ...activity, projectId, content });
    for (const [digest, text] of texts) this.add('activityText', { digest, projectId, period, text });
  }

  /** Forgets the thread of a subject that has no more comments. */
  endSubject(of: 'issue' | 'pullRequest' | 'wiki', id: number): void {
    this.threads.delete(`${of} ${id}`);
  }

  /** Adds what depends on the rest: the repositories with their last numbers, and the counters. */
  end(): void {
    for (const { defaultBranch, ...repository } of this.repositories.values()) {
      const head = this.records.find(CLONES, [repository.id])?.head as string | undefined;
      this.add('gitRepository', {
        ...repository,
        defaultBranch: defaultBranch ?? head?.replace(/^refs\/heads\//, '') ?? 'main',
      });
    }
    for (const projectId of this.projectsCreated.keys()) {
      for (const [name, { table }] of Object.entries(declared('counters'))) {
        const kind = [...this.kinds.values()].find((one) => one.table === table)?.name ?? '';
        const used = this.used.get(projectId)?.get(kind) ?? 0;
        // The import raises the numbers of what is ordered.
        const lastNumber = kind === 'issue' ? (this.lastNumbers.get(projectId) ?? 0) : used;
        this.add('projectCounter', { projectId, name, used, lastNumber });
      }
    }
  }

  private statusRow(projectId: number, id: number): number {
    return id <= LAST_STANDARD_STATUS ? (this.standardStatuses.get(`${projectId} ${id}`) ?? id) : id;
  }

  private thread(
    of: string,
    id: number,
    projectId: number,
    authorId: number,
    developersOnly = false,
  ): Subject {
    const subject = { threadId: this.newId('commentThread'), projectId, authorId, developersOnly };
    this.add('commentThread', { id: subject.threadId, projectId });
    this.threads.set(`${of} ${id}`, subject);
    return subject;
  }

  private subject(of: string, id: number): Subject {
    const subject = this.threads.get(`${of} ${id}`);
    if (!subject) throw new Error(`${of} ${id} has not been added`);
    return subject;
  }

  private star(
    star: SourceStar,
    { threadId, projectId, authorId, developersOnly = false }: Subject,
    commentId: number | null,
  ): void {
    const target = commentId === null ? { threadId, commentId } : { threadId: null, commentId };
    this.add('star', { ...star, ...target, projectId, receiverId: authorId, developersOnly });
  }

  private notification(
    notification: SourceNotification,
    { threadId, projectId }: Subject,
    commentId: number,
    comment: SourceComment,
  ): void {
    this.add('notification', {
      ...notification,
      projectId,
      threadId,
      commentId,
      watchedCommentId: null,
      senderId: comment.createdUserId,
      text: '',
      created: comment.created,
    });
  }

  private attach(space: FileSpace, owner: Values, file: SourceFile): void {
    this.add(`${space}Attachment`, { ...owner, attachmentId: this.file(space, file) });
  }

  private file(space: string, { id, name, content, createdUserId, created }: SourceFile): number {
    const attachmentId = id === undefined ? this.newId('attachment') : this.ownId('attachment', space, id);
    if (content.path === undefined) this.losses.note('Files whose contents the source does not have', name);
    this.records.add(FILES, [attachmentId], { id: attachmentId, space, ...content });
    this.add('attachment', { id: attachmentId, name, size: content.size, createdUserId, created });
    return attachmentId;
  }

  /** Returns the id of something whose ids in the source are unique only within a space. */
  private ownId(kind: string, space: string, id: number): number {
    const known = this.otherIds.get(`${kind} ${space} ${id}`);
    if (known !== undefined) return known;
    if (this.records.add(`#${kind}`, [id], { space })) return id;
    if (this.records.find(`#${kind}`, [id])?.space === space) return id;
    const own = this.newId(kind);
    this.otherIds.set(`${kind} ${space} ${id}`, own);
    return own;
  }

  private knownId(kind: string, space: string, id: number): number {
    return this.otherIds.get(`${kind} ${space} ${id}`) ?? id;
  }

  private setting(kind: string, setting: Named): boolean {
    if (this.has(kind, setting.id)) return false;
    const name = this.freeName(`${kind} ${setting.projectId}`, setting.name);
    return this.add(kind, { ...setting, name, nameKey: foldName(name) });
  }

  /** Returns a name that no other of a kind has, regardless of case. */
  private freeName(scope: string, name: string): string {
    for (let number = 1; ; number++) {
      const free = number === 1 ? name : `${name.slice(0, 240)} (${number})`;
      if (this.names.has(`${scope} ${foldName(free)}`)) continue;
      this.names.add(`${scope} ${foldName(free)}`);
      if (number > 1) this.losses.note('Names that differ only in case got a number', name);
      return free;
    }
  }

  /** Adds a record with exactly the fields of its kind. @throws SourceError if the service cannot store a value */
  private add(name: string, values: Values): boolean {
    const kind = this.kinds.get(name);
    if (!kind) throw new Error(`There is no kind ${name}`);
    const fitted: Values = {};
    for (const field of kind.fields) {
      const value = this.fitted(name, field, values);
      if (!field.isValid(value, values)) {
        throw new SourceError(
          `The source has a record "${name}" whose field "${field.name}" the service cannot store: ${JSON.stringify(value).slice(0, 100)}.`,
        );
      }
      fitted[field.name] = value;
    }
    const record = toRecord(kind, toRow(kind, fitted));
    const [first, second] = kind.key.map((field) => record[field] as string | number);
    if (!this.records.add(name, [first ?? 0, second], record)) return false;
    const { projectId } = values;
    if (typeof projectId === 'number') {
      const used = this.used.get(projectId) ?? new Map<string, number>();
      this.used.set(projectId, used.set(name, (used.get(name) ?? 0) + 1));
    }
    return true;
  }

  private fitted(
    kind: string,
    { name, maxLength, isJson }: RecordKind['fields'][number],
    values: Values,
  ): unknown {
    const value = values[name] ?? null;
    if (isJson || typeof value !== 'string') return value;
    const text = value.toWellFormed();
    if (maxLength === undefined) {
      // The document of an editor is JSON, whose beginning is none.
      return name === 'json' ? text : this.cut(text, MAX_TEXT_BYTES, `${name} of ${kind}`, values.id);
    }
    const characters = text.length <= maxLength ? undefined : Array.from(text);
    if (!characters || characters.length <= maxLength) return text;
    this.noteCut(`${maxLength} characters`, `${name} of ${kind}`, values.id);
    return characters.slice(0, maxLength).join('');
  }

  /** Returns as much of a text as a record can have. */
  private cut(text: string, bytes: number, place: string, id: unknown): string {
    const beginning = beginningOf(text, bytes);
    if (beginning.length < text.length) this.noteCut(sizeText(bytes), place, id);
    return beginning;
  }

  private noteCut(length: string, place: string, id: unknown): void {
    this.losses.note(`Texts cut to ${length}: ${place}`, typeof id === 'number' ? String(id) : undefined);
  }
}

const hundredths = (hours: number | null): number | null => (hours === null ? null : Math.round(hours * 100));

const firstCharacters = (text: string): string =>
  Array.from(text.slice(0, 2 * TEXT_KEY_LENGTH))
    .slice(0, TEXT_KEY_LENGTH)
    .join('')
    .toWellFormed();
