import { Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { BigIntColumn, JsonColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { Project } from '../../projects/entities/project.entity';
import { User } from '../../users/entities/user.entity';

/** What happened in a project; exists if and only if the change it tells of committed (decisions, section 6). */
@Entity('activity', tableOptions)
@Index(['projectId', 'id'])
export class Activity {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'project_id' })
  project?: Project;

  /** The numbers of `ActivityType`. */
  @Column({ type: 'smallint' })
  type: number;

  /** Frozen; its fields go by the type. */
  @JsonColumn()
  content: object;

  @Index()
  @BigIntColumn()
  createdUserId: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'created_user_id' })
  createdUser?: User;

  @TimeColumn()
  created: number;
}
