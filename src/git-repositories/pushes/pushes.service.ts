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
import { BRANCHES, isRefName, NO_HASH } from '../refs/ref-names';
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

/** What git has changed since it was recorded, of which each transaction records a part. */
interface Comparison {
  /** The recorded refs, with the changes before `start`. */
  recorded: Map<string, string>;
  /** Two of git's branches, or all if there are fewer. */
  branches: RefHashes;
  /** All pushes known when the refs were compared, by their ids. */
  pushes: ReadonlyMap<number, GitPush>;
  agentOf: AgentFinder;
  changes: readonly RefChange[];
  /** Pushes that cannot change anything any more. */
  over: readonly GitPush[];
  /** Number of the changes that have been recorded. */
  start: number;
  /** The indexes of the updates that have been recorded, by the ids of their pushes. */
  done: Map<number, Set<number>>;
}

/** The contents of one recording transaction. */
interface Recording {
  repository: GitRepositoryRow;
  changes: readonly RefChange[];
  /** The branch that becomes the default branch. */
  adopted: string | undefined;
  comparison: Comparison;
  /** The changes in order, grouped by push; unannounced ones form groups of their own. */
  accepted: readonly { push: AcceptedPush; changes: readonly RefChange[] }[];
  /** Pushes that are over once it has committed. */
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
      const comparison = await this.compare(repositoryId, finished);
      if (!comparison) return;
      let isCurrent: boolean | undefined;
      do {
        const recording = await this.prepare(repositoryId, comparison);
        // Another push may have added a second branch since the refs were compared.
        if (recording?.adopted !== undefined && comparison.start > 0) break;
        isCurrent = recording && (await this.write(recording));
        if (isCurrent === undefined) return;
        if (isCurrent) advance(comparison);
        if (isCurrent && comparison.start === comparison.changes.length) return;
      } while (isCurrent);
      if (comparison.start === 0) attempt++;
    }
    throw new Error(`Other processes keep recording pushes to repository ${repositoryId}`);
  }

  /**
   * Compares git's refs with the recorded ones, once for all batches: both can be very many. The order matters: the transactions detect what
   * is recorded after the first statement, and every push that git has accepted is announced before the last one.
   * @returns undefined when there is nothing to write
   */
  private async compare(
    repositoryId: number,
    finished: ReadonlySet<number>,
  ): Promise<Comparison | undefined> {
    if (!(await this.repositories.findById(repositoryId))) return undefined;
    const recorded = toHashes(await this.pushes.findRefs(repositoryId));
    const present = await this.findPresent(repositoryId, recorded);
    const pushes = await this.pushes.findOfRepository(repositoryId);
    const isLost = !present || hasLostAll(recorded, present, pushes);
    if (isLost && recorded.size > 0)
      this.logger.error({ repositoryId }, 'The folder of a git repository is lost: mount or restore it');
    const changes = isLost ? [] : findRefChanges(recorded, present, pushes);
    const end = Date.now() - this.environment.GIT_TIMEOUT * 1000 - MARGIN_MS;
    // The pushes of a lost folder are recorded once it is back.
    const over = isLost ? [] : pushes.filter(({ id, created }) => finished.has(id) || created < end);
    if (changes.length === 0 && over.length === 0) return undefined;
    const agentOf = await this.agents.findOf(pushes);
    const byId = new Map(pushes.map((push) => [push.id, push]));
    const branches = new Map([...(present ?? [])].filter(([ref]) => ref.startsWith(BRANCHES)).slice(0, 2));
    return { recorded, branches, pushes: byId, agentOf, changes, over, start: 0, done: new Map() };
  }

  /** @returns the next batch; undefined when the repository has been removed */
  private async prepare(repositoryId: number, comparison: Comparison): Promise<Recording | undefined> {
    const repository = await this.repositories.findById(repositoryId);
    if (!repository) return undefined;
    const { recorded, branches } = comparison;
    const changes = nextOf(comparison);
    const isLast = comparison.start + changes.length === comparison.changes.length;
    const { defaultBranch } = repository;
    const adopted = findAdoptedBranch(defaultBranch, branches, changes);
    const after = { ...repository, defaultBranch: adopted ?? defaultBranch };
    const accepted = groupByPush(after, recorded, changes, comparison);
    return { repository, changes, adopted, comparison, accepted, over: isLast ? comparison.over : [] };
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
    { repository: { id }, changes, comparison: { pushes, done } }: Recording,
  ): Promise<boolean> {
    const first = new Map<string, string>();
    for (const { ref, oldHash } of changes) if (!first.has(ref)) first.set(ref, oldHash);
    const recorded = toHashes(await this.pushes.findRefsNamed(manager, id, [...first.keys()]));
    for (const [ref, hash] of first) if ((recorded.get(ref) ?? NO_HASH) !== hash) return false;
    const isUnannounced = changes.some(({ pushId }) => pushId === null);
    if (isUnannounced) {
      const current = await this.pushes.findIds(id, manager);
      if (current.some((pushId) => !pushes.has(pushId))) return false;
    }
    const changed = pushIdsOf(changes);
    const left = new Map(
      (await this.pushes.findByIds(changed, manager)).map((push) => [push.id, push.updates.length]),
    );
    return changed.every((pushId) => {
      const known = pushes.get(pushId)?.updates.length ?? 0;
      return left.get(pushId) === known - (done.get(pushId)?.size ?? 0);
    });
  }

  /** Updates the recorded refs, and removes the recorded updates and the pushes that are over. */
  private async markRecorded(
    manager: EntityManager,
    { repository: { id }, changes, comparison: { pushes, done }, over }: Recording,
  ): Promise<void> {
    const doneNow = groupBy(changes, ({ pushId }) => pushId);
    const removed = over.map((push) => push.id);
    const isOver = new Set(removed);
    for (const pushId of pushIdsOf(changes)) {
      if (isOver.has(pushId)) continue;
      const indexes = new Set(doneNow.get(pushId)?.map(({ index }) => index));
      const left = pushes
        .get(pushId)
        ?.updates.filter((_, index) => !indexes.has(index) && !done.get(pushId)?.has(index));
      if (!left || left.length === 0) removed.push(pushId);
      else await this.pushes.updateUpdates(manager, pushId, left);
    }
    await this.pushes.delete(manager, removed);
    const last = new Map(changes.map(({ ref, newHash }) => [ref, newHash]));
    const refs = [...last].map(([name, hash]) => ({ name, hash }));
    await this.pushes.writeRefs(manager, id, refs);
  }
}

const nextOf = ({ changes, start }: Comparison): RefChange[] => changes.slice(start, start + BATCH);

/** Returns the ids of the announced pushes to which changes belong. */
const pushIdsOf = (changes: readonly RefChange[]): number[] => [
  ...new Set(changes.flatMap(({ pushId }) => pushId ?? [])),
];

/** Notes that a batch has been recorded. */
function advance(comparison: Comparison): void {
  const { recorded, done } = comparison;
  const changes = nextOf(comparison);
  for (const { ref, newHash, pushId, index } of changes) {
    setHash(recorded, ref, newHash);
    if (pushId === null) continue;
    const indexes = done.get(pushId) ?? new Set();
    done.set(pushId, indexes.add(index));
  }
  comparison.start += changes.length;
}

function setHash(hashes: Map<string, string>, ref: string, hash: string): void {
  if (hash === NO_HASH) hashes.delete(ref);
  else hashes.set(ref, hash);
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
  { pushes, agentOf }: Pick<Comparison, 'pushes' | 'agentOf'>,
): Recording['accepted'] {
  const groups: { pushId: number | null; changes: RefChange[] }[] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    // A push changes a ref only once, unless another push intervenes.
    if (group?.pushId === change.pushId) group.changes.push(change);
    else groups.push({ pushId: change.pushId, changes: [change] });
  }
  let before = recorded;
  return groups.map((group, position) => {
    const announced = group.pushId === null ? undefined : pushes.get(group.pushId);
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
    for (const { ref, newHash } of updates) setHash(after, ref, newHash);
    before = after;
    return { push, changes: group.changes };
  });
}
