import { type EntityManager } from 'typeorm';
import { type Agent } from '../../access/agent';
import { type RefUpdate } from '../entities/git-push.entity';
import { type RefHashes } from './ref-changes';

/** Ref changes of one user that git has accepted, and that are about to be recorded. */
export interface AcceptedPush {
  repositoryId: number;
  projectId: number;
  /** The repository when the push was examined. */
  repository: { name: string; projectKey: string; defaultBranch: string };
  /** The user who pushed; the creator of the repository when the changes were not announced. */
  userId: number;
  /** The agent that pushed for the user. */
  agent?: Agent;
  /** Time of the announcement, in milliseconds since 1970. */
  created: number;
  /** Only a part of a push of very many refs: the others are recorded in separate transactions. */
  updates: readonly RefUpdate[];
  /** The hashes of the repository's branches and tags before the push. */
  before: RefHashes;
}

/**
 * Examines a push and the current state of the repository, and returns a function that writes in the transaction that records the push.
 * That transaction may run several times, or not at all, in which case the push is examined again.
 */
export type PushListener = (push: AcceptedPush) => Promise<(manager: EntityManager) => Promise<void>>;
