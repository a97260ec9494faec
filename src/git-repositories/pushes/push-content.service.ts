import { Injectable } from '@nestjs/common';
import { toTimestamp } from '../../http/request/timestamp';
import { type GitRepositoryRow } from '../data/git-repository.repository';
import { type RefUpdate } from '../entities/git-push.entity';
import { type GitPushContent, type RevisionContent } from '../git-activity-samples';
import { NO_HASH, TAGS } from '../refs/ref-names';
import { type AcceptedPush } from './accepted-push';
import { type CommitRange, type PushedCommit, PushedCommitsService } from './pushed-commits.service';

/** Maximum number of commits in an activity. */
const MAX_REVISIONS = 100;
/** Maximum length of a message in an activity, in characters. */
const MAX_COMMENT = 4000;

/** Builds the content of the activities about pushes. */
@Injectable()
export class PushContentService {
  constructor(private readonly commits: PushedCommitsService) {}

  /** Returns the content of one activity for each ref change, in the order of the changes. @throws GitUnavailableError without git */
  async describe(
    { id, name, description }: GitRepositoryRow,
    accepted: readonly { push: AcceptedPush }[],
  ): Promise<{ push: AcceptedPush; content: GitPushContent }[]> {
    const updates = accepted.flatMap(({ push }) => push.updates.map((update) => ({ push, update })));
    const tagged = await this.commits.find(
      id,
      updates.flatMap(({ update: { ref, newHash } }) => (isTag(ref) && newHash !== NO_HASH ? [newHash] : [])),
    );
    const contents: { push: AcceptedPush; content: GitPushContent }[] = [];
    const listed = new ListedBranches();
    for (const { push, update } of updates) {
      const { ref, oldHash, newHash } = update;
      const { count, commits } = isTag(ref)
        ? ofTag(tagged.get(newHash))
        : await this.listCommits(id, update, listed.of(push));
      contents.push({
        push,
        content: {
          repository: { id, name, description },
          change_type: oldHash === NO_HASH ? 'create' : newHash === NO_HASH ? 'delete' : 'update',
          revision_type: isTag(ref) ? 'tag' : 'commit',
          ref,
          revision_count: count,
          revisions: commits.map(toRevision),
        },
      });
    }
    return contents;
  }

  /** Returns the commits added to a branch: for a new branch, those that no other branch or tag contained. */
  private async listCommits(
    id: number,
    { oldHash, newHash }: RefUpdate,
    { userId, known, added }: ListedPush,
  ): Promise<Commits> {
    if (newHash === NO_HASH) return NO_COMMITS;
    if (oldHash !== NO_HASH) return this.listRange(id, { userId, to: [newHash], notFrom: [oldHash] });
    // An import has thousands of branches and tags, many of the same commits.
    if (known.has(newHash)) return NO_COMMITS;
    const commits = added.get(newHash) ?? this.listRange(id, { userId, to: [newHash], notFrom: [...known] });
    added.set(newHash, commits);
    return commits;
  }

  private async listRange(id: number, range: CommitRange): Promise<Commits> {
    const commits = await this.commits.list(id, range, MAX_REVISIONS);
    const isFull = commits.length === MAX_REVISIONS;
    const count = isFull ? await this.commits.count(id, range) : commits.length;
    return { count: Math.max(count, commits.length), commits };
  }
}

interface Commits {
  count: number;
  commits: PushedCommit[];
}

const NO_COMMITS: Commits = { count: 0, commits: [] };

/** What is known about the branches of a push. */
interface ListedPush {
  /** The user who has pushed. */
  userId: number;
  /** The hashes of branches and tags before the push. */
  known: ReadonlySet<string>;
  /** The commits of the new branches, by their heads. */
  added: Map<string, Promise<Commits>>;
}

/** Remembers what was listed for each push. */
class ListedBranches {
  private readonly pushes = new Map<AcceptedPush, ListedPush>();

  of(push: AcceptedPush): ListedPush {
    const { userId, before } = push;
    const listed = this.pushes.get(push) ?? { userId, known: new Set(before.values()), added: new Map() };
    this.pushes.set(push, listed);
    return listed;
  }
}

const isTag = (ref: string): boolean => ref.startsWith(TAGS);

const ofTag = (commit: PushedCommit | undefined): Commits =>
  commit ? { count: 1, commits: [commit] } : NO_COMMITS;

const toRevision = ({ hash, authorName, authorMail, authored, message }: PushedCommit): RevisionContent => ({
  rev: hash,
  comment: cut(message, MAX_COMMENT),
  author: { name: authorName, mailAddress: authorMail },
  created: toTimestamp(authored),
});

/** Truncates a text without splitting a surrogate pair. */
const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
