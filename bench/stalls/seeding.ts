import { type EntityManager } from 'typeorm';
import { ActivityType } from '../../src/activities/activity-type';
import { Activity } from '../../src/activities/entities/activity.entity';
import { AuditLogEntry } from '../../src/audit-log/entities/audit-log-entry.entity';
import { CommentThread } from '../../src/comments/entities/comment-thread.entity';
import { Comment } from '../../src/comments/entities/comment.entity';
import { CustomFieldType } from '../../src/custom-fields/custom-field-type';
import { CustomField } from '../../src/custom-fields/entities/custom-field.entity';
import { insertRow } from '../../src/database/sql/rows';
import { Document } from '../../src/documents/entities/document.entity';
import { IssueCategory } from '../../src/issues/entities/issue-category.entity';
import { IssueCustomField } from '../../src/issues/entities/issue-custom-field.entity';
import { Issue } from '../../src/issues/entities/issue.entity';
import { INITIAL_STATE, rowStateOf } from '../../src/issues/issue-fields';
import { Notification } from '../../src/notifications/entities/notification.entity';
import { NotificationReason } from '../../src/notifications/notification-reason';
import { Category } from '../../src/project-settings/entities/category.entity';
import { foldName } from '../../src/project-settings/fold-name';
import { ProjectMember } from '../../src/projects/entities/project-member.entity';
import { ProjectsService } from '../../src/projects/projects.service';
import { SearchIndexRepository } from '../../src/search-index/data/search-index.repository';
import { GRAMS_VERSION } from '../../src/search-index/grams';
import { SearchIndexService } from '../../src/search-index/search-index.service';
import { DeliveryState } from '../../src/deliveries/delivery-state';
import { WebhookDelivery } from '../../src/webhooks/entities/webhook-delivery.entity';
import { WebhookEvent } from '../../src/webhooks/entities/webhook-event.entity';
import { WebhookHealth } from '../../src/webhooks/entities/webhook-health.entity';
import { Webhook } from '../../src/webhooks/entities/webhook.entity';
import { WikiVersion } from '../../src/wikis/entities/wiki-version.entity';
import { Wiki } from '../../src/wikis/entities/wiki.entity';
import { ADMIN_ID, EPOCH, insertAll, type SeedDatabase, SENTENCE } from '../support/seed-database';

/** The amounts of data on which the work is measured: as much as the service allows, or as a large installation has. */
export interface StallSizes {
  /** Issues of the project that is removed, with two comments each. */
  issues: number;
  /** Documents of the tree that is removed. */
  documents: number;
  /** Deliveries of the webhook that is removed, and expired ones. */
  deliveries: number;
  /** Comments of the issue that is removed, each with a notification. */
  comments: number;
  /** Versions of the wiki page that is removed, each of the maximum length. */
  wikiVersions: number;
  auditLogEntries: number;
  /** People who are notified of one comment. */
  users: number;
  webhooks: number;
  customFields: number;
  commits: number;
  files: number;
}

/** The ids of what the rows work on. */
export interface SeededStalls {
  projectId: number;
  issueTypeId: number;
  /** Those of all issues of the project that is removed. */
  removed: { issueTypeId: number; categoryId: number; customFieldId: number };
  userIds: number[];
  webhookId: number;
  wikiId: number;
  documentId: string;
}

/** The project in which the rows work, and the one that is removed. */
export const PROJECT = 'BENCH';
export const REMOVED_PROJECT = 'GONE';
const MAX_WIKI_LENGTH = 100_000;
const ROWS_PER_TRANSACTION = 20_000;
const DAY_MS = 86_400_000;
const TIMES = { createdUserId: ADMIN_ID, created: EPOCH, updatedUserId: ADMIN_ID, updated: EPOCH };
const PLAIN = SENTENCE.repeat(5);
const JSON_TEXT = JSON.stringify({
  type: 'doc',
  content: [{ type: 'paragraph', content: [{ type: 'text', text: PLAIN }] }],
});

interface SeededProject {
  id: number;
  issueTypeId: number;
  statusId: number;
  /** Number of issues so far. */
  issues: number;
}

/** Fills an empty database. Bulk rows get ids of their own, which start at 1. */
export async function seedStalls(database: SeedDatabase, sizes: StallSizes): Promise<SeededStalls> {
  return new StallSeeder(database, sizes).seed();
}

class StallSeeder {
  private lastThreadId = 0;
  private lastCommentId = 0;
  private lastIssueId = 0;

  constructor(
    private readonly database: SeedDatabase,
    private readonly sizes: StallSizes,
  ) {}

  async seed(): Promise<SeededStalls> {
    const { database, sizes } = this;
    const userIds = await database.write((manager) => database.addUsers(manager, sizes.users));
    const removed = await this.addProject(REMOVED_PROJECT, userIds);
    await this.addIssues(removed, sizes.issues, 2);
    const settings = await this.addSettings(removed);
    const project = await this.addProject(PROJECT, userIds);
    await this.addIssues(project, 1, sizes.comments);
    await this.addIssues(project, 1, 0);
    await this.addDocuments(project);
    await this.addWiki(project);
    const webhookId = await this.addDeliveries(project);
    await this.addAuditLog();
    await this.beginIndex();
    return {
      projectId: project.id,
      issueTypeId: project.issueTypeId,
      removed: { issueTypeId: removed.issueTypeId, ...settings },
      userIds,
      webhookId,
      wikiId: 1,
      documentId: uidOf(1),
    };
  }

  private addProject(projectKey: string, userIds: readonly number[]): Promise<SeededProject> {
    const { database } = this;
    return database.write(async (manager) => {
      const id = await database.service(ProjectsService).add(manager, { projectKey, name: projectKey });
      await insertAll(manager, ProjectMember, userIds, (userId) => ({
        projectId: id,
        userId,
        projectAdministrator: false,
        created: EPOCH,
      }));
      const firstOf = async (table: string): Promise<number> => {
        const [row] = await manager.query<[{ id: number | string }]>(
          `SELECT MIN(id) AS id FROM ${table} WHERE project_id = ?`,
          [id],
        );
        return Number(row.id);
      };
      return {
        id,
        issueTypeId: await firstOf('issue_type'),
        statusId: await firstOf('issue_status'),
        issues: 0,
      };
    });
  }

  /** Adds issues with an activity and comments each, of which the administrator is notified. */
  private async addIssues(project: SeededProject, count: number, comments: number): Promise<void> {
    const { database } = this;
    const issues = numbers(this.lastIssueId + 1, count);
    const threadIdOf = (issue: number): number => this.lastThreadId + 1 + issue - (issues[0] as number);
    await database.write(async (manager) => {
      await insertAll(manager, CommentThread, issues, (issue) => ({
        id: threadIdOf(issue),
        projectId: project.id,
      }));
      await insertAll(manager, Issue, issues, (issue) => ({
        id: issue,
        projectId: project.id,
        keyId: project.issues + issue - this.lastIssueId,
        threadId: threadIdOf(issue),
        ...rowStateOf({
          ...INITIAL_STATE,
          issueTypeId: project.issueTypeId,
          statusId: project.statusId,
          summary: `Issue ${issue}`,
          description: SENTENCE,
        }),
        ...TIMES,
      }));
      await insertAll(manager, Activity, issues, (issue) => ({
        projectId: project.id,
        type: ActivityType.IssueCreated,
        content: { id: issue, key_id: issue, summary: `Issue ${issue}`, description: SENTENCE },
        createdUserId: ADMIN_ID,
        created: EPOCH,
      }));
      await moveCounter(manager, project.id, 'issue', 'issue', 'key_id');
    });
    const all = issues.flatMap((issue) => Array<number>(comments).fill(threadIdOf(issue)));
    for (let start = 0; start < all.length; start += ROWS_PER_TRANSACTION) {
      const some = all
        .slice(start, start + ROWS_PER_TRANSACTION)
        .map((threadId) => ({ id: ++this.lastCommentId, threadId }));
      await database.write((manager) => addComments(manager, project.id, some));
    }
    project.issues += count;
    this.lastIssueId += count;
    this.lastThreadId += count;
  }

  /** Adds a category and a custom field with a value in all issues so far. */
  private addSettings({
    id: projectId,
  }: SeededProject): Promise<{ categoryId: number; customFieldId: number }> {
    const issues = numbers(1, this.lastIssueId);
    const setting = { projectId, name: 'Setting', nameKey: foldName('Setting'), displayOrder: 0 };
    return this.database.write(async (manager) => {
      const categoryId = await insertRow(manager, Category, setting);
      const customFieldId = await insertRow(manager, CustomField, {
        ...setting,
        typeId: CustomFieldType.Text,
        description: '',
        required: false,
        settings: {},
        version: 0,
      });
      await moveCounter(manager, projectId, 'category', 'category');
      await moveCounter(manager, projectId, 'customField', 'custom_field');
      await insertAll(manager, IssueCategory, issues, (issueId) => ({ issueId, categoryId }));
      await insertAll(manager, IssueCustomField, issues, (issueId) => ({
        issueId,
        customFieldId,
        textValue: SENTENCE,
        textKey: SENTENCE.slice(0, 100),
        numberValue: null,
        dateValue: null,
        otherValue: null,
      }));
      return { categoryId, customFieldId };
    });
  }

  /** Adds one document with all others below it. */
  private async addDocuments(project: SeededProject): Promise<void> {
    const documents = numbers(1, this.sizes.documents);
    const first = this.lastThreadId;
    this.lastThreadId += documents.length;
    await this.database.write(async (manager) => {
      await insertAll(manager, CommentThread, documents, (document) => ({
        id: first + document,
        projectId: project.id,
      }));
      await insertAll(manager, Document, documents, (document) => ({
        id: document,
        uid: uidOf(document),
        projectId: project.id,
        threadId: first + document,
        parentId: document === 1 ? null : 1,
        depth: document === 1 ? 1 : 2,
        position: document,
        title: `Document ${document}`,
        emoji: null,
        json: JSON_TEXT,
        plain: PLAIN,
        size: JSON_TEXT.length + PLAIN.length,
        statusId: 1,
        removalDue: null,
        ...TIMES,
      }));
      await moveCounter(manager, project.id, 'document', 'document');
    });
  }

  /** Adds a page whose versions have the maximum length. */
  private async addWiki(project: SeededProject): Promise<void> {
    const content = SENTENCE.repeat(MAX_WIKI_LENGTH).slice(0, MAX_WIKI_LENGTH);
    const versions = numbers(1, this.sizes.wikiVersions);
    const threadId = ++this.lastThreadId;
    await this.database.write(async (manager) => {
      await insertAll(manager, CommentThread, [threadId], (id) => ({ id, projectId: project.id }));
      const page = {
        id: 1,
        projectId: project.id,
        threadId,
        name: 'Page',
        content,
        version: versions.length,
        ...TIMES,
      };
      await insertAll(manager, Wiki, [page], (row) => row);
      await moveCounter(manager, project.id, 'wiki', 'wiki');
    });
    for (const version of versions) {
      await this.database.write((manager) =>
        insertAll(manager, WikiVersion, [version], () => ({
          wikiId: 1,
          version,
          name: 'Page',
          content,
          createdUserId: ADMIN_ID,
          created: EPOCH,
        })),
      );
    }
  }

  /** Adds a webhook with recent deliveries and as many expired ones. */
  private async addDeliveries(project: SeededProject): Promise<number> {
    const { database, sizes } = this;
    const now = Date.now();
    const webhookId = await database.write(async (manager) => {
      const id = await insertRow(manager, Webhook, {
        projectId: project.id,
        name: 'Receiver',
        description: '',
        hookUrl: 'https://receiver.invalid/',
        allEvent: false,
        activityTypeIds: [ActivityType.WikiCreated],
        secret: null,
        previousSecrets: null,
        ...TIMES,
      });
      await insertAll(manager, WebhookHealth, [id], (webhook) => ({
        webhookId: webhook,
        enabled: true,
        failures: 0,
        failingSince: null,
        pausedUntil: 0,
        pauses: 0,
      }));
      await moveCounter(manager, project.id, 'webhook', 'webhook');
      return id;
    });
    const all = numbers(1, 2 * sizes.deliveries);
    for (let start = 0; start < all.length; start += ROWS_PER_TRANSACTION) {
      const some = all.slice(start, start + ROWS_PER_TRANSACTION);
      const timeOf = (id: number): number => (id <= sizes.deliveries ? EPOCH - 365 * DAY_MS : now);
      await database.write(async (manager) => {
        await insertAll(manager, WebhookEvent, some, (id) => ({
          id,
          activityId: null,
          activityType: ActivityType.IssueCommented,
          payload: JSON.stringify({ content: SENTENCE.repeat(10) }),
          created: timeOf(id),
        }));
        await insertAll(manager, WebhookDelivery, some, (eventId) => ({
          eventId,
          webhookId,
          messageId: null,
          state: DeliveryState.Delivered,
          attempt: 1,
          nextAt: timeOf(eventId),
          leaseUntil: 0,
          leaseToken: null,
          created: timeOf(eventId),
          finished: timeOf(eventId),
        }));
      });
    }
    return webhookId;
  }

  /** Adds entries of the audit log that have expired. */
  private async addAuditLog(): Promise<void> {
    const all = numbers(1, this.sizes.auditLogEntries);
    for (let start = 0; start < all.length; start += ROWS_PER_TRANSACTION) {
      await this.database.write((manager) =>
        insertAll(manager, AuditLogEntry, all.slice(start, start + ROWS_PER_TRANSACTION), (number) => ({
          created: EPOCH - 5000 * DAY_MS + number,
          actorId: ADMIN_ID,
          actorName: 'Administrator',
          address: '127.0.0.1',
          action: 'user.update',
          subjectId: ADMIN_ID,
          subjectName: 'Administrator',
          projectId: null,
          projectKey: null,
          changes: [],
        })),
      );
    }
  }

  /** Lets the next start index the texts. */
  private async beginIndex(): Promise<void> {
    const { database } = this;
    await database.write(async (manager) => {
      for (const { kind, blockSize } of database.service(SearchIndexService).sources) {
        await database.service(SearchIndexRepository).addState(manager, {
          kind,
          blockSize,
          blocks: 0,
          version: GRAMS_VERSION,
          created: EPOCH,
          rewriting: null,
          rewrites: 0,
        });
      }
    });
  }
}

async function addComments(
  manager: EntityManager,
  projectId: number,
  comments: readonly { id: number; threadId: number }[],
): Promise<void> {
  await insertAll(manager, Comment, comments, ({ id, threadId }) => ({
    id,
    threadId,
    content: `Comment ${id}. ${SENTENCE}`,
    changeLog: [],
    createdUserId: ADMIN_ID,
    created: EPOCH,
    updated: EPOCH,
  }));
  await insertAll(manager, Notification, comments, ({ id, threadId }) => ({
    projectId,
    threadId,
    commentId: id,
    watchedCommentId: null,
    userId: ADMIN_ID,
    senderId: ADMIN_ID,
    text: '',
    reason: NotificationReason.IssueCommented,
    alreadyRead: false,
    resourceAlreadyRead: false,
    created: EPOCH,
  }));
}

/** Makes a counter of a project what its table says. */
async function moveCounter(
  manager: EntityManager,
  projectId: number,
  name: string,
  table: string,
  number?: string,
): Promise<void> {
  await manager.query(
    `UPDATE project_counter
        SET used = (SELECT COUNT(*) FROM ${table} WHERE project_id = ?),
            last_number = (SELECT ${number === undefined ? 'COUNT(*)' : `MAX(${number})`} FROM ${table} WHERE project_id = ?)
      WHERE project_id = ? AND name = ?`,
    [projectId, projectId, projectId, name],
  );
}

/** Returns the id of a document as used in the API. */
const uidOf = (document: number): string => document.toString(16).padStart(32, '0');

const numbers = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index);
