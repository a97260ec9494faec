import type * as z from 'zod';
import { type TimedList } from '../forges/forge-api';
import { withPlace } from '../forges/place';
import { type Context, findNumber, toText, userIdOf } from './context';
import { toChanges } from './convert';
import * as wire from './wire';

/** A comment of either kind. */
interface AnyComment {
  id: number;
  user?: wire.WireAccount;
  body: string;
  reactions?: { total_count: number } | null;
  created_at: number;
  updated_at: number;
}

/** Reads the comments and changes of a repository, which are in lists of their own for all of its issues and pull requests. */
export class TimelineReader {
  constructor(private readonly context: Context) {}

  async comments(): Promise<void> {
    const { path, api } = this.context;
    const comments = this.listOf(`${path}/issues/comments`, wire.comment);
    await this.each('comments', api.pagesByTime(comments), (comment) =>
      this.add('comment', comment.issue_url, comment, comment.body),
    );
    const reviews = this.listOf(`${path}/pulls/comments`, wire.reviewComment);
    await this.each('comments on lines', api.pagesByTime(reviews), (comment) => {
      const line = comment.line ?? comment.original_line ?? null;
      const body = withPlace(comment.body, { path: comment.path, line });
      this.add('review', comment.pull_request_url, comment, body);
    });
  }

  /** Reads the changes, newest first. Large repositories show only the newest of them. */
  async changes(): Promise<void> {
    const { path, api, losses } = this.context;
    let oldest = Infinity;
    const list = {
      path: `${path}/issues/events`,
      element: wire.event,
      keyOf: ({ id }: wire.WireEvent) => id,
    };
    const pages = api.pages(list, () => {
      const day = oldest < Infinity ? new Date(oldest).toISOString().slice(0, 10) : undefined;
      losses.note('Changes of issues and pull requests before those that the source lists', day);
    });
    await this.each('changes', pages, (event) => {
      oldest = Math.min(oldest, event.created_at);
      this.change(event);
    });
  }

  private listOf<T extends AnyComment>(path: string, element: z.ZodType<T>): TimedList<T> {
    return {
      ...{ path, element, from: 'since', query: { sort: 'updated', direction: 'asc' } },
      keyOf: ({ id }) => id,
      timeOf: ({ updated_at: updated }) => updated,
    };
  }

  private async each<T>(what: string, pages: AsyncIterable<T[]>, use: (element: T) => void): Promise<void> {
    const { onProgress, repository } = this.context;
    let done = 0;
    for await (const page of pages) {
      for (const element of page) use(element);
      done += page.length;
      onProgress?.({ what: `${what} of ${repository.full_name}`, done, total: 0 });
    }
  }

  private add(list: string, number: number, comment: AnyComment, body: string): void {
    const { timeline, losses } = this.context;
    losses.note('Reactions', `#${number}`, comment.reactions?.total_count ?? 0);
    const entry = {
      content: toText(this.context, body, number),
      changeLog: [],
      createdUserId: userIdOf(this.context, comment.user),
      created: comment.created_at,
      updated: comment.updated_at,
    };
    timeline.add(number, { list, id: comment.id }, entry);
  }

  private change(event: wire.WireEvent): void {
    const subject = event.issue && findNumber(this.context, event.issue.number);
    if (!subject) return;
    const changeLog = toChanges(event, subject);
    if (changeLog.length === 0) return;
    this.context.timeline.add(
      subject.number,
      { list: 'change', id: event.id },
      {
        ...{ content: '', changeLog, createdUserId: userIdOf(this.context, event.actor) },
        ...{ created: event.created_at, updated: event.created_at },
      },
    );
  }
}
