import { Entity, Index, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { Version } from '../../project-settings/entities/version.entity';
import { Issue } from './issue.entity';

/** A version in which an issue was found. */
@Entity('issue_version', tableOptions)
export class IssueVersion {
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
