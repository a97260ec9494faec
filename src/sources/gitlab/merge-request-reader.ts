import { PullRequestStatus } from '../../pull-requests/pull-request-status';
import { Timeline } from '../forges/timeline';
import { type Context, toText, userIdOf } from './context';
import { toBranch, toPullRequestStatus } from './convert';
import { type Noted, notedAddresses, NoteReader } from './note-reader';
import { Uploads } from './uploads';
import * as wire from './wire';

/** Reads the merge requests of a project, which become pull requests. */
export class MergeRequestReader {
  private readonly timeline: Timeline;
  private readonly notes: NoteReader;

  constructor(private readonly context: Context) {
    this.timeline = new Timeline(context.builder, 'merge request timeline');
    this.notes = new NoteReader(context, this.timeline);
  }

  async read(): Promise<void> {
    const { api, builder, onProgress, path, project } = this.context;
    const pages = api.pagesByTime({
      path: `${path}/merge_requests`,
      query: { scope: 'all', state: 'all', order_by: 'created_at', sort: 'asc' },
      element: wire.mergeRequest,
      keyOf: ({ iid }) => iid,
      from: 'created_after',
      timeOf: ({ created_at: created }) => created,
      ...(!project.merge_requests_enabled && { onHidden: () => undefined }),
    });
    let done = 0;
    for await (const page of pages) {
      const added = page.filter(({ id }) => !builder.has('pullRequest', id));
      await Promise.all(
        added.map((one) =>
          api.about(one).prefetch(notedAddresses({ of: 'pullRequest', path: this.pathOf(one.iid) })),
        ),
      );
      for (const mergeRequest of added) await this.add(mergeRequest);
      done += page.length;
      onProgress?.({ what: `merge requests of ${project.path_with_namespace}`, done, total: 0 });
    }
  }

  private pathOf(iid: number): string {
    return `${this.context.path}/merge_requests/${iid}`;
  }

  private async add(mergeRequest: wire.WireMergeRequest): Promise<void> {
    const { builder, project, losses } = this.context;
    const { id, iid, author, description, created_at: created } = mergeRequest;
    const name = `!${iid}`;
    const uploads = new Uploads(this.context, name);
    await uploads.read(description, author, created);
    const noted: Noted = { of: 'pullRequest', iid, name, path: this.pathOf(iid), as: mergeRequest };
    await this.notes.read(noted, uploads);
    const [assignee, ...others] = mergeRequest.assignees;
    losses.note('Further assignees, because a pull request has one', name, others.length);
    losses.note('Reactions', name, mergeRequest.upvotes + mergeRequest.downvotes);
    const createdUserId = userIdOf(this.context, author);
    const statusId = toPullRequestStatus(mergeRequest);
    const isMerged = statusId === PullRequestStatus.Merged;
    builder.pullRequest({
      ...{ id, number: iid, projectId: project.id, repositoryId: project.id, summary: mergeRequest.title },
      description: toText(this.context, uploads.withNames(description)),
      base: mergeRequest.target_branch,
      branch: toBranch(mergeRequest, project.id),
      statusId,
      assigneeId: assignee ? userIdOf(this.context, assignee) : null,
      issueId: null,
      // The list does not say from which commit it starts.
      baseCommit: null,
      branchCommit: mergeRequest.sha ?? null,
      mergeCommit: isMerged
        ? (mergeRequest.merge_commit_sha ?? mergeRequest.squash_commit_sha ?? null)
        : null,
      closeAt: statusId === PullRequestStatus.Closed ? (mergeRequest.closed_at ?? null) : null,
      mergeAt: isMerged ? (mergeRequest.merged_at ?? null) : null,
      ...{ files: uploads.attachments, stars: [] },
      ...{ created, updated: mergeRequest.updated_at },
      ...{ createdUserId, updatedUserId: createdUserId },
    });
    this.timeline.end('pullRequest', id, iid);
  }
}
