import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/columns';
import { GitRepository } from './git-repository.entity';

/** A branch or a tag as the last activity about it left it; the difference to git's own refs is what is to be recorded. */
@Entity('git_ref', tableOptions)
export class GitRef {
  @PrimaryForeignKey()
  repositoryId: number;

  @ManyToOne(() => GitRepository, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'repository_id' })
  repository?: GitRepository;

  /** The whole name, such as `refs/heads/main`. */
  @PrimaryColumn({ type: 'varchar', length: 255 })
  name: string;

  /** What it points to: a commit, or the object of an annotated tag. */
  @Column({ type: 'varchar', length: 64 })
  hash: string;
}
