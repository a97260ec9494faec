import { Column, Entity, Unique } from 'typeorm';
import { EnumColumn, tableOptions } from '../../database/schema/columns';
import { StandardStatus } from '../standard-status';
import { ProjectSetting } from './project-setting.entity';

/** A state of issues in a project (`docs/protocol.md#status`). */
@Entity('issue_status', tableOptions)
@Unique(['projectId', 'nameKey'])
export class IssueStatus extends ProjectSetting {
  @Column({ length: 7 })
  color: string;

  /** The standard status that it is; null for a status that the project added. */
  @EnumColumn(StandardStatus, { nullable: true })
  standard: StandardStatus | null;
}
