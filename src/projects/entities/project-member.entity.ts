import { Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions, TimeColumn } from '../../database/columns';
import { User } from '../../users/entities/user.entity';
import { Project } from './project.entity';

/** A user's membership of a project. */
@Entity('project_member', tableOptions)
export class ProjectMember {
  @PrimaryForeignKey()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'project_id' })
  project?: Project;

  @Index()
  @PrimaryForeignKey()
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user?: User;

  /** May manage webhooks, statuses and members of the project. */
  @Column({ type: 'boolean' })
  projectAdministrator: boolean;

  @TimeColumn()
  created: number;
}
