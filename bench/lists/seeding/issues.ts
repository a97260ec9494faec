import { type EntityManager } from 'typeorm';
import { NO_VALUE } from '../../../src/activities/activity-content';
import { ActivityType } from '../../../src/activities/activity-type';
import { Activity } from '../../../src/activities/entities/activity.entity';
import { CommentThread } from '../../../src/comments/entities/comment-thread.entity';
import { Comment } from '../../../src/comments/entities/comment.entity';
import { IssueCategory } from '../../../src/issues/entities/issue-category.entity';
import { IssueMilestone } from '../../../src/issues/entities/issue-milestone.entity';
import { IssueVersion } from '../../../src/issues/entities/issue-version.entity';
import { Issue } from '../../../src/issues/entities/issue.entity';
import { type IssueChangeContent, type IssueContent } from '../../../src/issues/issue-activity-samples';
import { INITIAL_STATE, rowStateOf, valuesOf } from '../../../src/issues/issue-fields';
import { Notification } from '../../../src/notifications/entities/notification.entity';
import { NotificationReason } from '../../../src/notifications/notification-reason';
import { Star } from '../../../src/stars/entities/star.entity';
import { EPOCH, insertAll, type SeedDatabase, SENTENCE } from '../../support/seed-database';
import { COMMENTS_PER_ISSUE, fraction, pick, PROJECTS, scatter } from '../population';
import { type Frame, type FrameProject } from './frame';

const ISSUES_PER_TRANSACTION = 4000;
const DAY_MS = 86_400_000;
/** The same period in every size, so that a date selects the same share. */
const SPAN_MS = 300 * DAY_MS;
/** Number of occurrences of each rare word, in every size. */
const RARE = 20;

/** Words to search for, in addition to those of `SENTENCE`, which occur everywhere. */
export const WORDS = { rareInSummaries: 'quokka', rareInComments: 'platypus' } as const;

/** Returns the id of an item counted from 0. */
export const issueId = (issue: number): number => issue + 1;
export const issueThreadId = issueId;
export const commentId = (comment: number): number => comment + 1;

/** Adds the issues and their comments in chronological order, with an activity for each. */
export async function seedIssues(database: SeedDatabase, frame: Frame): Promise<void> {
  const { issues } = frame.population.amounts;
  await database.write((manager) => addFirstActivities(manager, frame));
  for (let start = 0; start < issues; start += ISSUES_PER_TRANSACTION) {
    const end = Math.min(start + ISSUES_PER_TRANSACTION, issues);
    await database.write((manager) => new IssueChunk(frame, start, end).insert(manager));
  }
  await database.write((manager) => moveCounters(manager, frame));
}

/** Adds the only activities of their type, which are also the oldest. */
async function addFirstActivities(manager: EntityManager, { projects, population }: Frame): Promise<void> {
  await insertAll(manager, Activity, projects, ({ id, versions }) => ({
    projectId: id,
    type: ActivityType.MilestoneCreated,
    content: { ...versions[0], description: '', start_date: '', reference_date: '' },
    createdUserId: population.userId('busy'),
    created: EPOCH,
  }));
}

async function moveCounters(manager: EntityManager, { projects }: Frame): Promise<void> {
  for (const { id } of projects) {
    await manager.query(
      `UPDATE project_counter
          SET used = (SELECT COUNT(*) FROM issue WHERE project_id = ?),
              last_number = (SELECT MAX(key_id) FROM issue WHERE project_id = ?)
        WHERE project_id = ? AND name = 'issue'`,
      [id, id, id],
    );
  }
}

/** A range of issues by id, and the comments that belong to them. */
class IssueChunk {
  private readonly issues: number[];
  private readonly comments: number[];

  constructor(
    private readonly frame: Frame,
    start: number,
    end: number,
  ) {
    this.issues = range(start, end);
    this.comments = range(start * COMMENTS_PER_ISSUE, end * COMMENTS_PER_ISSUE);
  }

  async insert(manager: EntityManager): Promise<void> {
    const { issues, comments } = this;
    await insertAll(manager, CommentThread, issues, (issue) => ({
      id: issueThreadId(issue),
      projectId: this.projectOf(issue).id,
    }));
    await insertAll(manager, Issue, issues, (issue) => this.issueRow(issue));
    await insertAll(manager, IssueCategory, withRest(issues, 4, [0, 1, 2]), (issue) => ({
      issueId: issueId(issue),
      categoryId: pick(this.projectOf(issue).categories, issue, 11).id,
    }));
    await insertAll(manager, IssueMilestone, withRest(issues, 4, [0, 1, 2]), (issue) => ({
      issueId: issueId(issue),
      versionId: pick(this.projectOf(issue).versions, issue, 12).id,
    }));
    await insertAll(manager, IssueVersion, withRest(issues, 4, [0, 1, 2]), (issue) => ({
      issueId: issueId(issue),
      versionId: pick(this.projectOf(issue).versions, issue, 13).id,
    }));
    await insertAll(manager, Comment, comments, (comment) => this.commentRow(comment));
    await insertAll(manager, Star, this.stars(), (row) => row);
    await insertAll(manager, Notification, this.notifications(), (row) => row);
    await insertAll(manager, Activity, this.activities(), (row) => row);
  }

  private projectOf(issue: number): FrameProject {
    return this.frame.projects[this.frame.population.projectOfIssue(issue)] as FrameProject;
  }

  private issueRow(issue: number): Omit<Issue, 'id'> & { id: number } {
    const { population } = this.frame;
    const project = population.projectOfIssue(issue);
    const { id: projectId, issueTypes, statuses } = this.projectOf(issue);
    const status = pick([...statuses].reverse(), issue, 21);
    const parent = population.parentOf(issue);
    const created = timeOf(issue, population.amounts.issues);
    const createdUserId = population.author(project, issue);
    return {
      id: issueId(issue),
      projectId,
      keyId: keyId(issue),
      threadId: issueThreadId(issue),
      ...rowStateOf({
        ...INITIAL_STATE,
        issueTypeId: pick(issueTypes, issue, 22).id,
        statusId: status.id,
        priorityId: 2 + (scatter(issue, 23) % 3),
        resolutionId: status === statuses[0] ? null : scatter(issue, 24) % 5,
        assigneeId: this.assigneeOf(issue),
        parentIssueId: parent === undefined ? null : issueId(parent),
        summary: this.summaryOf(issue),
        description: SENTENCE,
        startDate: issue % 3 === 0 ? null : dayOf(created + DAY_MS),
        dueDate: issue % 4 === 0 ? null : dayOf(created + (1 + (scatter(issue, 25) % 100)) * DAY_MS),
        estimatedHours: issue % 2 === 0 ? null : 1 + (scatter(issue, 26) % 40),
        actualHours: issue % 5 === 0 ? 1 + (scatter(issue, 27) % 40) : null,
      }),
      createdUserId,
      created,
      updatedUserId: population.member(project, issue, 28),
      updated: Math.floor(created + (EPOCH + SPAN_MS - created) * fraction(issue, 29) ** 2),
    };
  }

  private assigneeOf(issue: number): number | null {
    const { population } = this.frame;
    if (issue % 25 === 1) return population.userId('busy');
    return issue % 3 === 0 ? null : population.member(population.projectOfIssue(issue), issue, 30);
  }

  private summaryOf(issue: number): string {
    const { issues } = this.frame.population.amounts;
    return issue % (issues / RARE) === 3
      ? `Issue ${issue} of the ${WORDS.rareInSummaries}`
      : `Issue ${issue} with something to be done`;
  }

  private commentRow(comment: number): Comment {
    const { population } = this.frame;
    const issue = population.issueOfComment(comment);
    const created = timeOf(comment, population.amounts.comments);
    return {
      id: commentId(comment),
      threadId: issueThreadId(issue),
      content: this.contentOf(comment),
      changeLog: [],
      createdUserId: population.author(population.projectOfIssue(issue), comment),
      agentKeyId: null,
      created,
      updated: created,
    };
  }

  private contentOf(comment: number): string {
    const { comments } = this.frame.population.amounts;
    const text = SENTENCE.repeat(1 + (comment % 3));
    return comment % (comments / RARE) === 7 ? `${text}${WORDS.rareInComments}` : text;
  }

  /** Stars on one in ten comments, and one in twenty issues. */
  private stars(): Omit<Star, 'id'>[] {
    const { population } = this.frame;
    const presenterOf = (issue: number, index: number): number =>
      index % 100 === 5
        ? population.userId('busy')
        : population.member(population.projectOfIssue(issue), index, 31);
    const star = { comment: '', title: 'A useful remark', developersOnly: false };
    return [
      ...this.issues
        .filter((issue) => issue % 20 === 5)
        .map((issue) => ({
          ...star,
          commentId: null,
          threadId: issueThreadId(issue),
          url: `/view/${this.issueKey(issue)}`,
          presenterId: presenterOf(issue, issue),
          receiverId: population.author(population.projectOfIssue(issue), issue),
          projectId: this.projectOf(issue).id,
          created: timeOf(issue, population.amounts.issues),
        })),
      ...this.comments
        .filter((comment) => comment % 10 === 5)
        .map((comment) => {
          const issue = population.issueOfComment(comment);
          return {
            ...star,
            commentId: commentId(comment),
            threadId: null,
            url: `/view/${this.issueKey(issue)}#comment-${commentId(comment)}`,
            presenterId: presenterOf(issue, comment),
            receiverId: population.author(population.projectOfIssue(issue), comment),
            projectId: this.projectOf(issue).id,
            created: timeOf(comment, population.amounts.comments),
          };
        }),
    ];
  }

  private notifications(): Omit<Notification, 'id'>[] {
    const { population } = this.frame;
    return this.comments.flatMap((comment) => {
      const issue = population.issueOfComment(comment);
      const project = population.projectOfIssue(issue);
      const userId = population.notified(project, comment);
      if (userId === undefined) return [];
      return {
        projectId: this.projectOf(issue).id,
        threadId: issueThreadId(issue),
        commentId: commentId(comment),
        watchedCommentId: null,
        userId,
        senderId: population.author(project, comment),
        text: '',
        reason: NotificationReason.IssueCommented,
        alreadyRead: scatter(comment, 32) % 4 !== 0,
        resourceAlreadyRead: scatter(comment, 33) % 4 !== 0,
        created: timeOf(comment, population.amounts.comments),
      };
    });
  }

  private activities(): Omit<Activity, 'id'>[] {
    return this.issues.flatMap((issue) => [
      this.issueActivity(issue),
      ...range(issue * COMMENTS_PER_ISSUE, (issue + 1) * COMMENTS_PER_ISSUE).map((comment) =>
        this.commentActivity(comment),
      ),
    ]);
  }

  private issueActivity(issue: number): Omit<Activity, 'id'> {
    const row = this.issueRow(issue);
    const { issueTypes, statuses } = this.projectOf(issue);
    const content: IssueContent = {
      ...this.headOf(issue),
      issueType: {
        ...(issueTypes[0] as { id: number; name: string }),
        projectId: row.projectId,
        color: '#7ea800',
        displayOrder: 0,
      },
      status: statuses[0] as { id: number; name: string },
      priority: { id: 3, name: 'Normal' },
      resolution: NO_VALUE,
      assignee: null,
      category: [],
      versions: [],
      milestone: [],
      customFields: [],
      parentIssueId: row.parentIssueId,
      ...valuesOf(row, (day) => day ?? ''),
    };
    return {
      projectId: row.projectId,
      type: ActivityType.IssueCreated,
      content,
      createdUserId: row.createdUserId,
      agentKeyId: null,
      created: row.created,
    };
  }

  private commentActivity(comment: number): Omit<Activity, 'id'> {
    const row = this.commentRow(comment);
    const issue = this.frame.population.issueOfComment(comment);
    const content: IssueChangeContent = {
      ...this.headOf(issue),
      comment: { id: row.id, content: row.content },
      changes: [],
      attachments: [],
      shared_files: [],
      external_file_links: [],
    };
    return {
      projectId: this.projectOf(issue).id,
      type: ActivityType.IssueCommented,
      content,
      createdUserId: row.createdUserId,
      agentKeyId: null,
      created: row.created,
    };
  }

  private headOf(issue: number): { id: number; key_id: number; summary: string; description: string } {
    return {
      id: issueId(issue),
      key_id: keyId(issue),
      summary: this.summaryOf(issue),
      description: SENTENCE,
    };
  }

  private issueKey(issue: number): string {
    return `${this.projectOf(issue).key}-${keyId(issue)}`;
  }
}

const keyId = (issue: number): number => Math.floor(issue / PROJECTS) + 1;

const timeOf = (index: number, count: number): number => EPOCH + Math.floor((index * SPAN_MS) / count);

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Returns the items whose remainder after division is one of the given ones. */
const withRest = (items: readonly number[], divisor: number, rests: readonly number[]): number[] =>
  items.filter((item) => rests.includes(item % divisor));

const range = (start: number, end: number): number[] =>
  Array.from({ length: end - start }, (_, index) => start + index);
