import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_KEY, BASE_PATH } from '../support/processes';
import { ISSUES, PROJECT_KEY, REPOSITORY } from '../support/seed';
import { type Ledger } from './ledger';
import { type Pusher } from './pusher';
import { type Random } from '../support/random';

const TIMEOUT_MS = 10_000;
const PAUSE_MS = 20;
const NOTIFIED_AT_MOST = 2;

/** The targets of a writer. */
export interface Target {
  /** One for each process. */
  origins: readonly string[];
  /** Without the writer itself. */
  userIds: readonly number[];
  wikiIds: readonly number[];
  /** Pull request comments that no other writer edits. */
  reviewCommentIds: readonly number[];
  /** Share of the actions that are pushes, from 0 to 1. */
  pushes: number;
}

/** The text contains the number of users notified with the comment, which the comparison reads later. */
export const commentText = (name: string, notified: number): string =>
  `Comment ${name} notifies ${notified}.`;
export const notifiedWith = (text: string): number => Number(/ notifies (\d+)\.$/.exec(text)?.[1]);

/**
 * A client that writes one item after another and records what is acknowledged. It never repeats a failed request: its result may
 * or may not exist, and the next write is a new one.
 */
export class Writer {
  private sequence = 0;
  private edits = 0;
  private isConnected = true;
  private readonly unusedUploads: number[] = [];
  private readonly commentIds: { id: number; issue: string }[] = [];

  constructor(
    private readonly name: string,
    private readonly target: Target,
    private readonly ledger: Ledger,
    private readonly random: Random,
    /** Undefined without git. */
    private readonly pusher: Pusher | undefined,
  ) {}

  /** Performs one write. */
  async write(): Promise<void> {
    // A push costs many times as much as a request, so none is made while the processes are unreachable.
    if (this.pusher && this.isConnected && this.random.next() < this.target.pushes)
      await this.pusher.push(this.random.pick(this.target.origins));
    else await this.writeInApi();
  }

  private async writeInApi(): Promise<void> {
    const choice = this.random.next();
    if (choice < 0.5) await this.addComment();
    else if (choice < 0.7) await this.editReviewComment();
    else if (choice < 0.85) await this.notify();
    else if (this.unusedUploads.length < this.random.integer(1, 3)) await this.upload();
    else await this.attach();
  }

  private async addComment(): Promise<void> {
    const userIds = this.random.pickSeveral(this.target.userIds, this.random.integer(0, NOTIFIED_AT_MOST));
    const content = commentText(this.nextName(), userIds.length);
    const issue = `${PROJECT_KEY}-${this.random.integer(1, ISSUES)}`;
    const path = `/issues/${issue}/comments`;
    const added = await this.send<{ id: number }>('POST', path, { content, notifiedUserId: userIds });
    if (!added) return;
    this.ledger.comments.set(added.id, content);
    this.ledger.notify(added.id, userIds);
    this.commentIds.push({ id: added.id, issue });
  }

  private async notify(): Promise<void> {
    if (this.commentIds.length === 0) return;
    const { id, issue } = this.random.pick(this.commentIds);
    const userIds = this.random.pickSeveral(this.target.userIds, this.random.integer(1, 3));
    const path = `/issues/${issue}/comments/${id}/notifications`;
    if (await this.send('POST', path, { notifiedUserId: userIds })) this.ledger.notify(id, userIds);
  }

  private async editReviewComment(): Promise<void> {
    const { reviewCommentIds } = this.target;
    const id = reviewCommentIds[this.edits++ % reviewCommentIds.length] as number;
    const content = `Edit ${this.nextName()}`;
    const path = `/projects/${PROJECT_KEY}/git/repositories/${REPOSITORY}/pullRequests/1/comments/${id}`;
    if (await this.send('PATCH', path, { content })) this.ledger.edits.set(id, new Set([content]));
    else this.ledger.edits.get(id)?.add(content);
  }

  private async upload(): Promise<void> {
    const content = this.nextName().repeat(this.random.integer(1, 2000));
    const form = new FormData();
    form.set('file', new Blob([content]), 'file.txt');
    const uploaded = await this.send<{ id: number }>('POST', '/space/attachment', form);
    if (!uploaded) return;
    this.ledger.uploads.set(uploaded.id, content.length);
    this.unusedUploads.push(uploaded.id);
  }

  private async attach(): Promise<void> {
    const attachmentId = this.unusedUploads.splice(0);
    const path = `/wikis/${this.random.pick(this.target.wikiIds)}/attachments`;
    if (!(await this.send('POST', path, { attachmentId }))) return;
    for (const id of attachmentId) this.ledger.attached.add(id);
  }

  private nextName(): string {
    return `${this.name}-${++this.sequence}`;
  }

  /** @returns the body of the response; undefined unless the write was acknowledged */
  private async send<T>(method: string, path: string, body: object): Promise<T | undefined> {
    const isForm = body instanceof FormData;
    let status: number;
    let text: string;
    try {
      const response = await fetch(this.random.pick(this.target.origins) + BASE_PATH + path, {
        method,
        headers: { 'x-api-key': ADMIN_KEY, ...(!isForm && { 'content-type': 'application/json' }) },
        body: isForm ? body : JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      status = response.status;
      text = await response.text();
    } catch (error) {
      this.isConnected = !isNotConnected(error);
      if (this.isConnected) this.ledger.cutOff++;
      else this.ledger.unconnected++;
      await sleep(PAUSE_MS);
      return undefined;
    }
    this.isConnected = true;
    if (status === 200 || status === 201) {
      this.ledger.acknowledged++;
      return JSON.parse(text) as T;
    }
    if (status === 503) this.ledger.refused++;
    else this.ledger.unexpected.push(`${method} ${path}: ${status} ${text}`);
    await sleep(PAUSE_MS);
    return undefined;
  }
}

/** Whether the connection was refused. */
const isNotConnected = (error: unknown): boolean =>
  error instanceof Error && (error.cause as { code?: string } | undefined)?.code === 'ECONNREFUSED';
