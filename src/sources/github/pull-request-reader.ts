import { type Context, pullRequestsOf, toText, userIdOf } from './context';
import { toBranch, toPullRequestStatus } from './convert';
import * as wire from './wire';

/** Pull requests that are asked for one by one at once. */
const AT_ONCE = 100;
/** The kind under which the spool has the numbers of the pull requests that have been added. */
const ADDED = '#added pull request';

/** Reads the pull requests of a repository. */
export class PullRequestReader {
  constructor(private readonly context: Context) {}

  async read(): Promise<void> {
    const { api, path, onProgress, repository } = this.context;
    let done = 0;
    const query = { state: 'all', sort: 'created', direction: 'asc' };
    const list = {
      ...{ path: `${path}/pulls`, query, element: wire.pullRequest },
      keyOf: ({ number }: wire.WirePullRequest) => number,
    };
    for await (const page of api.pages(list)) {
      for (const pullRequest of page) this.add(pullRequest);
      done += page.length;
      onProgress?.({ what: `pull requests of ${repository.full_name}`, done, total: 0 });
    }
    await this.missing();
  }

  /** Reads the pull requests that are among the issues, but not in the list: the source refuses large numbers of pages. */
  private async missing(): Promise<void> {
    const { records } = this.context.builder;
    let numbers: number[] = [];
    for (const number of pullRequestsOf(this.context)) {
      if (records.find(ADDED, [number])) continue;
      numbers.push(number);
      if (numbers.length < AT_ONCE) continue;
      await this.single(numbers);
      numbers = [];
    }
    await this.single(numbers);
  }

  private async single(numbers: readonly number[]): Promise<void> {
    const { api, path, losses } = this.context;
    await api.prefetch(numbers.map((number) => `${path}/pulls/${number}`));
    for (const number of numbers) {
      const found = await api.find(wire.pullRequest, `${path}/pulls/${number}`);
      if (found) this.add(found);
      else losses.note('Pull requests that the source does not show', `#${number}`);
    }
  }

  private add(pullRequest: wire.WirePullRequest): void {
    const { builder, settings, timeline, repository, losses } = this.context;
    const { id, number, title, body, merged_at: mergedAt, closed_at: closedAt } = pullRequest;
    if (!builder.records.add(ADDED, [number], {})) return;
    const [assignee, ...others] = pullRequest.assignees;
    losses.note('Further assignees, because a pull request has one', `#${number}`, others.length);
    const createdUserId = userIdOf(this.context, pullRequest.user);
    builder.pullRequest({
      ...{ id, number, projectId: settings.project.id, repositoryId: repository.id, summary: title },
      description: toText(this.context, body, number),
      base: pullRequest.base.ref,
      branch: toBranch(pullRequest, repository.id),
      statusId: toPullRequestStatus(pullRequest),
      assigneeId: assignee ? userIdOf(this.context, assignee) : null,
      issueId: null,
      baseCommit: pullRequest.base.sha,
      branchCommit: pullRequest.head.sha,
      mergeCommit: mergedAt == null ? null : (pullRequest.merge_commit_sha ?? null),
      closeAt: mergedAt == null ? (closedAt ?? null) : null,
      mergeAt: mergedAt ?? null,
      ...{ files: [], stars: [] },
      ...{ created: pullRequest.created_at, updated: pullRequest.updated_at },
      ...{ createdUserId, updatedUserId: createdUserId },
    });
    timeline.end('pullRequest', id, number);
  }
}
