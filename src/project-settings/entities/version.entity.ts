import { Column, Entity, Unique } from 'typeorm';
import { DateColumn, LongTextColumn, tableOptions } from '../../database/schema/columns';
import { ProjectSetting } from './project-setting.entity';

/** A version of a project; as a milestone of an issue, its deadline. */
@Entity('version', tableOptions)
@Unique(['projectId', 'nameKey'])
export class Version extends ProjectSetting {
  @LongTextColumn()
  description: string;

  @DateColumn({ nullable: true })
  startDate: string | null;

  @DateColumn({ nullable: true })
  releaseDueDate: string | null;

  @Column({ type: 'boolean' })
  archived: boolean;
}
