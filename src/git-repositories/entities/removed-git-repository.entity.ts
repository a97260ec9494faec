import { Entity } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';

/** A removed repository whose folder has not been removed yet. */
@Entity('removed_git_repository', tableOptions)
export class RemovedGitRepository {
  @PrimaryForeignKey()
  repositoryId: number;
}
