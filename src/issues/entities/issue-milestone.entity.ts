import { Entity, Index, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { Version } from '../../project-settings/entities/version.entity';
import { Issue } from './issue.entity';

/** A version that an issue is planned for. */
@Entity('issue_milestone', tableOptions)
// Has a version's issues in the order of their ids, on every engine.
@Index(['versionId', 'issueId'])
export class IssueMilestone {
  @PrimaryForeignKey()
  issueId: number;

  @ManyToOne(() => Issue, { onDelete: 'CASCADE' })
  issue?: Issue;

  @PrimaryForeignKey()
  versionId: number;

  @ManyToOne(() => Version, { onDelete: 'CASCADE' })
  version?: Version;
}
