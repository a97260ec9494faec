import { Column, Entity, ManyToOne, PrimaryColumn } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { GitRepository } from './git-repository.entity';

/** A branch or a tag in the state of its last activity. Differences from git's own refs have not been recorded yet. */
@Entity('git_ref', tableOptions)
export class GitRef {
  @PrimaryForeignKey()
  repositoryId: number;

  @ManyToOne(() => GitRepository, { onDelete: 'CASCADE' })
  repository?: GitRepository;

  /** The full name, such as `refs/heads/main`. */
  @PrimaryColumn({ type: 'varchar', length: 255 })
  name: string;

  /** The hash that it points to, of a commit or of an annotated tag. */
  @Column({ type: 'varchar', length: 64 })
  hash: string;
}
