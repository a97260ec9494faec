import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { BigIntColumn, JsonColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { User } from '../../users/entities/user.entity';
import { GitRepository } from './git-repository.entity';

/** What a push does to one ref. No hash is 40 zeros, as git writes it. */
export interface RefUpdate {
  ref: string;
  oldHash: string;
  newHash: string;
}

/** A push that git may have accepted: written before git sees it, removed with the activities about it. */
@Entity('git_push', tableOptions)
@Index(['repositoryId'])
@Index(['userId'])
export class GitPush {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  repositoryId: number;

  @ManyToOne(() => GitRepository, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'repository_id' })
  repository?: GitRepository;

  @BigIntColumn()
  userId: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'user_id' })
  user?: User;

  @JsonColumn()
  updates: readonly RefUpdate[];

  @TimeColumn()
  created: number;
}
