import { Entity, Index, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { Version } from '../../project-settings/entities/version.entity';
import { Issue } from './issue.entity';

/** A version that an issue is planned for. */
@Entity('issue_milestone', tableOptions)
export class IssueMilestone {
  @PrimaryForeignKey()
  issueId: number;

  @ManyToOne(() => Issue, { onDelete: 'CASCADE' })
  issue?: Issue;

  @Index()
  @PrimaryForeignKey()
  versionId: number;

  @ManyToOne(() => Version, { onDelete: 'CASCADE' })
  version?: Version;
}
