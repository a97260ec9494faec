import { Entity } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/columns';

/** A removed repository whose folder is still to be removed. */
@Entity('removed_git_repository', tableOptions)
export class RemovedGitRepository {
  @PrimaryForeignKey()
  repositoryId: number;
}
