import { type EntityManager } from 'typeorm';
import { type RefUpdate } from '../entities/git-push.entity';
import { type RefHashes } from './ref-changes';

/** Changes of refs by one user that git has accepted, and that are about to be recorded. */
export interface AcceptedPush {
  repositoryId: number;
  projectId: number;
  /** As it was when the push was looked at. */
  repository: { name: string; projectKey: string; defaultBranch: string };
  /** Who has pushed; whoever made the repository when nobody has announced the changes. */
  userId: number;
  /** When it was announced, in milliseconds since 1970. */
  created: number;
  /** Of a push of very many refs, a part: the others come in a transaction of their own. */
  updates: readonly RefUpdate[];
  /** What the branches and tags of the repository pointed to before. */
  before: RefHashes;
}

/**
 * Looks at a push, and at the repository as it is now, and returns what is to be written in the transaction that records the push.
 * That transaction may be run several times, or not at all; then the push is looked at anew.
 */
export type PushListener = (push: AcceptedPush) => Promise<(manager: EntityManager) => Promise<void>>;
