import { Entity, Index, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { LinkedSharedFile } from '../../shared-files/entities/linked-shared-file.entity';
import { Issue } from './issue.entity';

/** A shared file linked to an issue. */
@Entity('issue_shared_file', tableOptions)
@Index(['issueId'])
export class IssueSharedFile extends LinkedSharedFile {
  @PrimaryForeignKey()
  issueId: number;

  @ManyToOne(() => Issue, { onDelete: 'CASCADE' })
  issue?: Issue;
}
