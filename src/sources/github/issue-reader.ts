import { StandardStatus } from '../../project-settings/standard-status';
import { type TimedList } from '../forges/forge-api';
import { NORMAL_PRIORITY, USUAL_TYPE } from '../forges/forge-project';
import { hiddenIssues } from '../source.error';
import { type Context, findNumber, keepNumber, toText, userIdOf } from './context';
import { toMilestone, toResolution } from './convert';
import * as wire from './wire';

/** Reads the issues of a repository. The list has pull requests, too. */
export class IssueReader {
  constructor(private readonly context: Context) {}

  /** Keeps which numbers are those of issues and of pull requests. */
  async numbers(): Promise<void> {
    const { api, onProgress, repository } = this.context;
    let done = 0;
    for await (const page of api.pagesByTime(this.list())) {
      for (const { id, number, pull_request: pull, parent_issue_url: parent } of page) {
        keepNumber(this.context, {
          ...{ id, number, isPullRequest: pull != null, mergedAt: pull?.merged_at ?? null },
          parent: this.numberIn(parent),
        });
      }
      done += page.length;
      onProgress?.({ what: `numbers of ${repository.full_name}`, done, total: 0 });
    }
  }

  /** Adds the issues. Their comments and changes are in the timeline. */
  async read(): Promise<void> {
    const { api, builder, onProgress, repository } = this.context;
    let done = 0;
    for await (const page of api.pagesByTime(this.list())) {
      for (const issue of page) {
        if (issue.pull_request == null && !builder.has('issue', issue.id)) this.issue(issue);
      }
      done += page.length;
      onProgress?.({ what: `issues of ${repository.full_name}`, done, total: 0 });
    }
  }

  private list(): TimedList<wire.WireIssue> {
    const { path, repository } = this.context;
    return {
      path: `${path}/issues`,
      query: { state: 'all', sort: 'updated', direction: 'asc' },
      element: wire.issue,
      keyOf: ({ number }) => number,
      from: 'since',
      timeOf: ({ updated_at: updated }) => updated,
      onHidden: () => {
        if (repository.has_issues) throw hiddenIssues(repository.full_name);
      },
    };
  }

  private issue(issue: wire.WireIssue): void {
    const { builder, settings, timeline, losses } = this.context;
    const { id, number, title, body, milestone } = issue;
    const [assignee, ...others] = issue.assignees;
    losses.note('Further assignees, because an issue has one', `#${number}`, others.length);
    losses.note('Reactions', `#${number}`, issue.reactions?.total_count ?? 0);
    const isClosed = issue.state === 'closed';
    const createdUserId = userIdOf(this.context, issue.user);
    builder.issue({
      ...{ id, projectId: settings.project.id, keyId: number, summary: title },
      description: toText(this.context, body, number),
      issueTypeId: settings.typeOf(issue.type?.name ?? USUAL_TYPE),
      statusId: isClosed ? StandardStatus.Closed : StandardStatus.Open,
      resolutionId: isClosed ? toResolution(issue.state_reason) : null,
      priorityId: NORMAL_PRIORITY,
      assigneeId: assignee ? userIdOf(this.context, assignee) : null,
      parentIssueId: this.parentOf(issue),
      ...{ startDate: null, dueDate: null, estimatedHours: null, actualHours: null },
      categoryIds: issue.labels.map(({ name }) => settings.categoryOf(name)),
      versionIds: [],
      milestoneIds: milestone ? [settings.version(toMilestone(milestone))] : [],
      ...{ customValues: [], files: [], sharedFileIds: [], stars: [] },
      ...{ created: issue.created_at, updated: issue.updated_at },
      // The source does not say who has changed it last.
      ...{ createdUserId, updatedUserId: createdUserId },
    });
    timeline.end('issue', id, number);
  }

  /** Returns the id of the parent. The service has parents that have none themselves. */
  private parentOf({ number, parent_issue_url: address }: wire.WireIssue): number | null {
    const parent = this.numberIn(address);
    if (parent === null) {
      if (address != null) this.context.losses.note('Parents in other repositories', `#${number}`);
      return null;
    }
    const found = findNumber(this.context, parent);
    if (found && !found.isPullRequest && found.parent === null) return found.id;
    this.context.losses.note('Parents of issues whose parents have parents', `#${number}`);
    return null;
  }

  /** Returns the number in the address of an issue of this repository. */
  private numberIn(address: string | null | undefined): number | null {
    const end = address?.split('/repos/')[1] ?? '';
    const [, name, number] = /^([^/]+\/[^/]+)\/issues\/([1-9]\d{0,8})$/.exec(end) ?? [];
    const { full_name: own } = this.context.repository;
    return name?.toLowerCase() === own.toLowerCase() ? Number(number) : null;
  }
}
