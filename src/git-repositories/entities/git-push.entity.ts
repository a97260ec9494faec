import { Entity, Index, ManyToOne } from 'typeorm';
import { BigIntColumn, JsonColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';
import { GitRepository } from './git-repository.entity';

/** The change that a push makes to one ref. As in git, 40 zeros stand for no hash. */
export interface RefUpdate {
  ref: string;
  oldHash: string;
  newHash: string;
}

/** A push that git may have accepted: inserted before git receives it, deleted when its activities are written. */
@Entity('git_push', tableOptions)
@Index(['repositoryId'])
@Index(['userId'])
export class GitPush {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  repositoryId: number;

  @ManyToOne(() => GitRepository, { onDelete: 'CASCADE' })
  repository?: GitRepository;

  @BigIntColumn()
  userId: number;

  @ManyToOne(() => User)
  user?: User;

  /** The key of the agent that pushes for the user; null if the user does. */
  @BigIntColumn({ nullable: true })
  agentKeyId: number | null;

  @JsonColumn()
  updates: readonly RefUpdate[];

  @TimeColumn()
  created: number;
}
