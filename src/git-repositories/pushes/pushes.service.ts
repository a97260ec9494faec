import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Author } from '../../access/caller';
import { ActivitiesService } from '../../activities/activities.service';
import { ActivityType } from '../../activities/activity-type';
import { Environment } from '../../config/environment';
import { groupBy } from '../../database/sql/group-by';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { NoResourceError } from '../../errors/domain-errors';
import { GitStore } from '../../git/git-store';
import { syncRefFiles, syncRefs } from '../../git/sync-folders';
import { type AgentFinder, AgentsService } from '../../users/agents.service';
import { GitPushRepository } from '../data/git-push.repository';
import { GitRepositoryRepository, type GitRepositoryRow } from '../data/git-repository.repository';
import { type GitPush, type RefUpdate } from '../entities/git-push.entity';
import { type GitPushContent } from '../git-activity-samples';
import { GitRefsService } from '../refs/git-refs.service';
import { isRefName, NO_HASH } from '../refs/ref-names';
import { PACKED_REFS } from '../refs/ref-states';
import { type AcceptedPush, type PushListener } from './accepted-push';
import { PushContentService } from './push-content.service';
import { findAdoptedBranch, findRefChanges, type RefChange, type RefHashes } from './ref-changes';

/** Maximum number of ref changes that one transaction records. */
const BATCH = 100;
/** Maximum number of updates in one row of a push. A row is rewritten whenever some of its updates have been recorded. */
const ANNOUNCED_AT_ONCE = 100;
/** Maximum number of times a recording restarts because another process has recorded changes concurrently. */
const MAX_ATTEMPTS = 100;
/** Maximum number of damaged refs named in the log. */
const MAX_NAMED = 10;
/** Time added to git's timeout before a push counts as over, because clocks differ, in milliseconds. */
const MARGIN_MS = 10 * 60_000;

/** The contents of one recording transaction. */
interface Recording {
  repository: GitRepositoryRow;
  changes: readonly RefChange[];
  /** The branch that becomes the default branch. */
  adopted: string | undefined;
  /** All pushes known when the recording was prepared. */
  pushes: readonly GitPush[];
  /** The changes in order, grouped by push; unannounced ones form groups of their own. */
  accepted: readonly { push: AcceptedPush; changes: readonly RefChange[] }[];
  /** Pushes that cannot change anything any more. */
  over: readonly GitPush[];
}

/** A run that has not started yet, shared by all callers that request one until it starts. */
interface WaitingRun {
  finished: Set<number>;
  done: Promise<void>;
}

/**
 * Records accepted pushes as activities, at least once each (`docs/decisions/0045-git.md`). A push is announced before git receives
 * it, so that its user is known. A recording covers the difference between git's refs and those of `git_ref`, which one transaction
 * updates together with the activities.
 */
@Injectable()
export class PushesService {
  private readonly logger = new Logger(PushesService.name);
  private readonly listeners: PushListener[] = [];
  private readonly waiting = new Map<number, WaitingRun>();
  private readonly running = new Map<number, Promise<void>>();

  constructor(
    private readonly environment: Environment,
    private readonly transactions: TransactionsService,
    private readonly pushes: GitPushRepository,
    private readonly repositories: GitRepositoryRepository,
    private readonly store: GitStore,
    private readonly refs: GitRefsService,
    private readonly content: PushContentService,
    private readonly activities: ActivitiesService,
    private readonly agents: AgentsService,
  ) {}

  /** Registers a listener; its writes for a push commit together with the activities or not at all. */
  onPush(listener: PushListener): void {
    this.listeners.push(listener);
  }

  /**
   * Announces a push; the caller calls `record` once git has accepted or rejected it. A push of very many refs counts as several.
   * @returns the ids of the pushes, for `record`
   * @throws NoResourceError when the repository has been removed
   */
  announce(repositoryId: number, pusher: Author, updates: readonly RefUpdate[]): Promise<number[]> {
    const { id: userId, agent } = pusher;
    const push = { repositoryId, userId, agentKeyId: agent?.keyId ?? null, created: Date.now() };
    return this.transactions.run(async (manager) => {
      // A process that records concurrently on another node of a cluster must see this push.
      await this.repositories.lock(manager, repositoryId);
      const ids: number[] = [];
      for (let start = 0; start < updates.length; start += ANNOUNCED_AT_ONCE) {
        const part = updates.slice(start, start + ANNOUNCED_AT_ONCE);
        ids.push(await this.pushes.insert(manager, { ...push, updates: part }));
      }
      return ids;
    });
  }

  /**
   * Records all unrecorded ref changes of a repository. Does nothing for a removed one.
   * @param finishedPushIds pushes that git has finished; others may still change refs
   * @throws GitUnavailableError without git
   */
  record(repositoryId: number, finishedPushIds: readonly number[] = []): Promise<void> {
    let run = this.waiting.get(repositoryId);
    if (!run) {
      run = { finished: new Set(), done: this.recordNext(repositoryId) };
      this.waiting.set(repositoryId, run);
    }
    for (const id of finishedPushIds) run.finished.add(id);
    return run.done;
  }

  /**
   * Updates a ref on behalf of a user if it still has the expected hash, and records the change.
   * @returns whether the ref now has the new hash
   */
  async updateRef(repositoryId: number, pusher: Author, update: RefUpdate): Promise<boolean> {
    const ids = await this.announce(repositoryId, pusher, [update]);
    try {
      return await this.refs.compareAndSwap(repositoryId, update, pusher.id);
    } finally {
      await this.record(repositoryId, ids);
    }
  }

  /** Records after the current run has ended: one run serves all callers that are waiting by then. */
  private async recordNext(repositoryId: number): Promise<void> {
    const before = this.running.get(repositoryId) ?? Promise.resolve();
    const done = before.then(async () => {
      const finished = this.waiting.get(repositoryId)?.finished ?? new Set();
      this.waiting.delete(repositoryId);
      await this.recordAll(repositoryId, finished).catch(async (error: unknown) => {
        // The repository has been removed, and its pushes with it.
        if (!(error instanceof NoResourceError) || (await this.repositories.findById(repositoryId)))
          throw error;
      });
    });
    // An error is reported to the callers of this run, and does not affect later runs.
    const ended = done.catch(() => undefined);
    this.running.set(repositoryId, ended);
    void ended.then(() => {
      if (this.running.get(repositoryId) === ended) this.running.delete(repositoryId);
    });
    return done;
  }

  private async recordAll(repositoryId: number, finished: ReadonlySet<number>): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS;) {
      const { recording, isLast } = await this.prepare(repositoryId, finished);
      if (!recording) return;
      const isDone = await this.write(recording);
      if (isDone === undefined || (isDone && isLast)) return;
      if (!isDone) attempt++;
    }
    throw new Error(`Other processes keep recording pushes to repository ${repositoryId}`);
  }

  /**
   * Compares git's refs with the recorded ones. The order matters: the transaction detects what is recorded after the first
   * statement, and every push that git has accepted is announced before the last one.
   * @returns no recording when there is nothing to write
   */
  private async prepare(
    repositoryId: number,
    finished: ReadonlySet<number>,
  ): Promise<{ recording?: Recording; isLast: boolean }> {
    const nothing = { isLast: true };
    const repository = await this.repositories.findById(repositoryId);
    if (!repository) return nothing;
    const recorded = toHashes(await this.pushes.findRefs(repositoryId));
    const present = await this.findPresent(repositoryId, recorded);
    const pushes = await this.pushes.findOfRepository(repositoryId);
    const isLost = !present || hasLostAll(recorded, present, pushes);
    if (isLost && recorded.size > 0)
      this.logger.error({ repositoryId }, 'The folder of a git repository is lost: mount or restore it');
    const all = isLost ? [] : findRefChanges(recorded, present, pushes);
    const changes = all.slice(0, BATCH);
    const isLast = changes.length === all.length;
    const end = Date.now() - this.environment.GIT_TIMEOUT * 1000 - MARGIN_MS;
    // The pushes of a lost folder are recorded once it is back.
    const over =
      isLast && !isLost ? pushes.filter(({ id, created }) => finished.has(id) || created < end) : [];
    if (changes.length === 0 && over.length === 0) return nothing;
    const { defaultBranch } = repository;
    const adopted = present && findAdoptedBranch(defaultBranch, present, changes);
    const after = { ...repository, defaultBranch: adopted ?? defaultBranch };
    const announced = { pushes, agentOf: await this.agents.findOf(pushes) };
    const accepted = groupByPush(after, recorded, changes, announced);
    return { recording: { repository, changes, adopted, pushes, accepted, over }, isLast };
  }

  /**
   * Returns git's branches and tags; undefined when there is no folder. A damaged ref has not been deleted: it counts as unchanged until it
   * is repaired.
   */
  private async findPresent(repositoryId: number, recorded: RefHashes): Promise<RefHashes | undefined> {
    if (!(await this.store.has(repositoryId))) return undefined;
    const { refs, damaged, isPackedFileDamaged } = await this.refs.read(repositoryId);
    if (damaged.length > 0 || isPackedFileDamaged) {
      const some = isPackedFileDamaged ? [PACKED_REFS] : damaged.slice(0, MAX_NAMED);
      this.logger.error(
        { repositoryId, refs: some, damaged: damaged.length },
        'Refs of a git repository are damaged: repair them with pms doctor --fix',
      );
    }
    if (isPackedFileDamaged) return recorded;
    const present = toHashes(refs.filter(({ name }) => isRefName(name)));
    for (const name of damaged) {
      const hash = recorded.get(name);
      if (hash !== undefined) present.set(name, hash);
    }
    return present;
  }

  /** @returns whether the compared state was still current; undefined when the repository has been removed */
  private async write(recording: Recording): Promise<boolean | undefined> {
    const { repository, changes, adopted, accepted } = recording;
    const contents = await this.content.describe(repository, accepted);
    const writers: ((manager: EntityManager) => Promise<void>)[] = [];
    for (const { push } of accepted) {
      for (const listener of this.listeners) writers.push(await listener(push));
    }
    await this.sync(repository.id, changes);
    try {
      return await this.transactions.run(async (manager) => {
        await this.repositories.lock(manager, repository.id);
        if (!(await this.isCurrent(manager, recording))) return false;
        await this.markRecorded(manager, recording);
        if (adopted !== undefined) {
          const move = { from: repository.defaultBranch, to: adopted };
          await this.repositories.replaceDefaultBranch(manager, repository.id, move);
        }
        const now = Date.now();
        if (changes.length > 0) await this.repositories.update(manager, repository.id, { pushedAt: now });
        for (const { push, content } of contents) await this.writeActivity(manager, push, content, now);
        for (const writer of writers) await writer(manager);
        return true;
      });
    } catch (error) {
      // Removing a repository removes its pushes. A listener's error about another resource is rethrown.
      if (error instanceof NoResourceError && !(await this.repositories.findById(repository.id)))
        return undefined;
      throw error;
    }
  }

  /** Syncs refs before they are recorded: those of another push, which has just changed them, may not be synced yet. */
  private async sync(repositoryId: number, changes: readonly RefChange[]): Promise<void> {
    if (changes.length === 0) return;
    const repository = this.store.folderOf(repositoryId);
    const names = [...new Set(changes.map(({ ref }) => ref))];
    await syncRefFiles(repository, names);
    await syncRefs(repository, names);
  }

  private writeActivity(
    manager: EntityManager,
    { projectId, userId, agent }: AcceptedPush,
    content: GitPushContent,
    created: number,
  ): Promise<void> {
    const activity = { projectId, content, author: { id: userId, agent }, created };
    return this.activities.record(manager, { ...activity, type: ActivityType.GitPushed });
  }

  /** Whether no other process has recorded any of the changes or pushes since they were compared. Writes nothing. */
  private async isCurrent(
    manager: EntityManager,
    { repository: { id }, changes, pushes }: Recording,
  ): Promise<boolean> {
    const first = new Map<string, string>();
    for (const { ref, oldHash } of changes) if (!first.has(ref)) first.set(ref, oldHash);
    const recorded = toHashes(await this.pushes.findRefsNamed(manager, id, [...first.keys()]));
    for (const [ref, hash] of first) if ((recorded.get(ref) ?? NO_HASH) !== hash) return false;
    const current = new Map((await this.pushes.findOfRepository(id, manager)).map((push) => [push.id, push]));
    const known = new Set(pushes.map((push) => push.id));
    const isUnannounced = changes.some(({ pushId }) => pushId === null);
    if (isUnannounced && [...current.keys()].some((pushId) => !known.has(pushId))) return false;

    const changed = new Set(changes.map(({ pushId }) => pushId));
    return pushes.every(
      (push) => !changed.has(push.id) || current.get(push.id)?.updates.length === push.updates.length,
    );
  }

  /** Updates the recorded refs, and removes the recorded updates and the pushes that are over. */
  private async markRecorded(
    manager: EntityManager,
    { repository: { id }, changes, pushes, over }: Recording,
  ): Promise<void> {
    const doneByPush = groupBy(changes, ({ pushId }) => pushId);
    const removed = over.map((push) => push.id);
    const isOver = new Set(removed);
    for (const push of pushes.filter((one) => doneByPush.has(one.id) && !isOver.has(one.id))) {
      const done = new Set(doneByPush.get(push.id)?.map(({ index }) => index));
      const left = push.updates.filter((_, index) => !done.has(index));
      if (left.length === 0) removed.push(push.id);
      else await this.pushes.updateUpdates(manager, push.id, left);
    }
    await this.pushes.delete(manager, removed);
    const last = new Map(changes.map(({ ref, newHash }) => [ref, newHash]));
    const refs = [...last].map(([name, hash]) => ({ name, hash }));
    await this.pushes.writeRefs(manager, id, refs);
  }
}

/**
 * Returns whether none of the recorded refs exist any more, and no push deletes any of them: the folder has been recreated, perhaps
 * because the volume was not mounted.
 */
const hasLostAll = (recorded: RefHashes, present: RefHashes, pushes: readonly GitPush[]): boolean =>
  recorded.size > 0 &&
  ![...recorded.keys()].some((ref) => present.has(ref)) &&
  !pushes.some(({ updates }) => updates.some(({ ref, newHash }) => newHash === NO_HASH && recorded.has(ref)));

const toHashes = (refs: readonly { name: string; hash: string }[]): Map<string, string> =>
  new Map(refs.map(({ name, hash }) => [name, hash]));

/** Groups changes by push, in order, each group with the hashes of the refs before it. */
function groupByPush(
  { id: repositoryId, projectId, createdUserId, name, projectKey, defaultBranch }: GitRepositoryRow,
  recorded: RefHashes,
  changes: readonly RefChange[],
  { pushes, agentOf }: { pushes: readonly GitPush[]; agentOf: AgentFinder },
): Recording['accepted'] {
  const byId = new Map(pushes.map((push) => [push.id, push]));
  const groups: { pushId: number | null; changes: RefChange[] }[] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    // A push changes a ref only once, unless another push intervenes.
    if (group?.pushId === change.pushId) group.changes.push(change);
    else groups.push({ pushId: change.pushId, changes: [change] });
  }
  let before = recorded;
  return groups.map((group, position) => {
    const announced = group.pushId === null ? undefined : byId.get(group.pushId);
    const updates = group.changes.map(({ ref, oldHash, newHash }) => ({ ref, oldHash, newHash }));
    const push: AcceptedPush = {
      repositoryId,
      projectId,
      repository: { name, projectKey, defaultBranch },
      userId: announced?.userId ?? createdUserId,
      agent: announced && agentOf(announced),
      created: announced?.created ?? Date.now(),
      updates,
      before,
    };
    const after = new Map(position < groups.length - 1 ? before : []);
    for (const { ref, newHash } of updates) {
      if (newHash === NO_HASH) after.delete(ref);
      else after.set(ref, newHash);
    }
    before = after;
    return { push, changes: group.changes };
  });
}
