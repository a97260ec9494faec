import { PRIORITIES } from '../../project-settings/priorities';
import { RESOLUTIONS } from '../../project-settings/resolutions';
import { type SourceComment } from '../model';
import { SourceError } from '../source.error';
import { addressOf } from '../spool/json-api';
import { type Context, mostOf, readFiles, starsOf } from './context';
import { toChangeLog, toCustomValue, toDay, toNotification } from './convert';
import { commentsAddress, FED, toIssueType, toVersion } from './project-reader';
import * as wire from './wire';

const NORMAL_PRIORITY = 3;

/** Reads the issues of a project, each with its comments and files. Memory does not grow with their number. */
export class IssueReader {
  private hasRelations = true;

  constructor(private readonly context: Context) {}

  async read(project: wire.WireProject): Promise<void> {
    const { api, losses, onProgress } = this.context;
    const filter = { 'projectId[]': project.id };
    const { count: total } = await api.get(wire.count, '/issues/count', filter);
    const query = { ...filter, sort: 'created', order: 'asc' };
    let done = 0;
    for await (const page of api.pagesByOffset(wire.issue, ({ id }) => id, '/issues', query)) {
      await this.prefetch(page);
      for (const issue of page) {
        if (!this.context.builder.has('issue', issue.id)) await this.issue(project, issue);
        done++;
        onProgress?.({ what: `issues of ${project.projectKey}`, done, total });
      }
      // A list that grows while it is read grows by less than itself.
      if (done > 2 * total + 1000)
        throw new SourceError(`The list of issues of ${project.projectKey} does not end.`);
    }
    if (done < total) {
      losses.note(
        'Issues that were counted but not listed, because others were deleted meanwhile',
        project.projectKey,
      );
    }
  }

  /** Asks for what the issues of a page need, several requests at once. */
  private async prefetch(issues: readonly wire.WireIssue[]): Promise<void> {
    const { api } = this.context;
    const [first] = issues;
    if (first && this.hasRelations) {
      this.hasRelations = (await this.relationsOf(first)) !== undefined;
      if (!this.hasRelations) this.context.losses.note('Relations of issues, which the source does not show');
    }
    await Promise.all(
      issues.map((issue) =>
        api
          .about(issue)
          .prefetch([
            ...(this.mayHaveComments(issue) ? [commentsAddress(issue.id)] : []),
            ...(this.hasRelations ? [addressOf(relationsPath(issue.id))] : []),
          ]),
      ),
    );
    await Promise.all(
      issues.flatMap(({ id, attachments }) =>
        attachments.map((file) => api.file(`/issues/${id}/attachments/${file.id}`, mostOf(file.size))),
      ),
    );
  }

  /**
   * Whether an issue may have comments. It has none if it was never updated, and the feed, which goes back to before its creation, tells of
   * no change (`docs/decisions/0070-sources.md`).
   */
  private mayHaveComments({ id, created, updated }: wire.WireIssue): boolean {
    const { records } = this.context.builder;
    return (
      created !== updated ||
      records.find(FED.created, [id]) === undefined ||
      records.find(FED.changed, [id]) !== undefined
    );
  }

  private async issue({ id: projectId }: wire.WireProject, issue: wire.WireIssue): Promise<void> {
    const { builder, people, timeZone, losses } = this.context;
    const { id, created, updated } = issue;
    this.addSettings(projectId, issue);
    const customValues = issue.customFields.flatMap((value) => this.customValue(value, issue) ?? []);
    const priorityId = issue.priority?.id ?? NORMAL_PRIORITY;
    const resolutionId = issue.resolution?.id ?? null;
    const isKnown = resolutionId === null || RESOLUTIONS.has(resolutionId);
    if (!isKnown) losses.note('Resolutions that the service does not have', keyOf(issue));
    builder.issue({
      ...{ id, projectId, keyId: issue.keyId, created, updated, customValues },
      ...{ summary: issue.summary, description: issue.description },
      issueTypeId: issue.issueType.id,
      statusId: issue.status.id,
      priorityId: PRIORITIES.has(priorityId) ? priorityId : NORMAL_PRIORITY,
      resolutionId: isKnown ? resolutionId : null,
      assigneeId: people.idOrNull(issue.assignee),
      parentIssueId: issue.parentIssueId ?? null,
      startDate: toDay(issue.startDate, timeZone),
      dueDate: toDay(issue.dueDate, timeZone),
      estimatedHours: issue.estimatedHours ?? null,
      actualHours: issue.actualHours ?? null,
      categoryIds: issue.category.map((one) => one.id),
      versionIds: issue.versions.map((one) => one.id),
      milestoneIds: issue.milestone.map((one) => one.id),
      files: await readFiles(this.context, `/issues/${id}/attachments`, issue.attachments, created),
      sharedFileIds: issue.sharedFiles.map((one) => one.id),
      stars: starsOf(this.context, issue.stars),
      createdUserId: people.idOf(issue.createdUser),
      updatedUserId: people.idOf(issue.updatedUser ?? issue.createdUser),
    });
    if (this.mayHaveComments(issue)) await this.comments(issue);
    if (this.hasRelations) await this.relations(issue);
    builder.endSubject('issue', id);
  }

  /** Adds settings that came after the lists of them had been read. */
  private addSettings(
    projectId: number,
    { issueType, status, category, versions, milestone }: wire.WireIssue,
  ): void {
    const { builder, timeZone } = this.context;
    builder.issueType(toIssueType(issueType, projectId));
    builder.status({ ...status, projectId });
    for (const one of category) builder.category({ ...one, projectId });
    for (const one of [...versions, ...milestone]) builder.version(toVersion(one, projectId, timeZone));
  }

  private customValue(value: wire.WireCustomValue, issue: wire.WireIssue) {
    const { builder, timeZone, losses } = this.context;
    const converted = toCustomValue(value, timeZone);
    if (!converted) return undefined;
    if (!builder.has('customField', value.id)) {
      losses.note('Values of custom fields that the project does not have', keyOf(issue));
      return undefined;
    }
    for (const item of converted.items) builder.customFieldItem(value.id, item);
    return [converted.value];
  }

  private async comments(issue: wire.WireIssue): Promise<void> {
    const { api, builder } = this.context;
    const path = `/issues/${issue.id}/comments`;
    for await (const page of api.about(issue).pagesById(wire.comment, ({ id }) => id, path)) {
      for (const comment of page) builder.comment('issue', issue.id, toComment(this.context, comment));
    }
  }

  private async relations(issue: wire.WireIssue): Promise<void> {
    const { id, created } = issue;
    const related = (await this.relationsOf(issue)) ?? [];
    // The source does not say when; later ones keep their place.
    for (const [place, other] of related.entries()) {
      this.context.builder.relatedIssues(id, other.id, Math.max(created, other.created) + place);
    }
  }

  /** Returns the related issues; undefined if the source does not show them. */
  private relationsOf(issue: wire.WireIssue): Promise<wire.WireRelatedIssue[] | undefined> {
    return this.context.api.about(issue).optionalList(wire.relatedIssue, relationsPath(issue.id));
  }
}

const relationsPath = (issueId: number): string => `/issues/${issueId}/relatedIssues`;

const keyOf = ({ issueKey }: wire.WireIssue): string => issueKey;

/** Converts a comment of an issue or a pull request. */
export function toComment(context: Context, comment: wire.WireComment): SourceComment {
  const { people, losses } = context;
  if (comment.agent) losses.note('Which agent has written a comment');
  return {
    id: comment.id,
    content: comment.content,
    changeLog: toChangeLog(comment),
    createdUserId: people.idOf(comment.createdUser),
    created: comment.created,
    updated: comment.updated ?? comment.created,
    stars: starsOf(context, comment.stars),
    notifications: comment.notifications.flatMap((one) =>
      one.user ? [toNotification(one, people.idOf(one.user))] : [],
    ),
  };
}
