import { Column, Entity, Unique } from 'typeorm';
import { LongTextColumn, tableOptions } from '../../database/schema/columns';
import { ProjectSetting } from './project-setting.entity';

/** A kind of issue in a project (`docs/protocol.md#issue-type`). */
@Entity('issue_type', tableOptions)
@Unique(['projectId', 'nameKey'])
export class IssueType extends ProjectSetting {
  @Column({ length: 7 })
  color: string;

  @Column({ type: 'varchar', length: 255, nullable: true })
  templateSummary: string | null;

  @LongTextColumn({ nullable: true })
  templateDescription: string | null;
}
