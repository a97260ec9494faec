import { Column, Entity, Index, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions, TimeColumn } from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';
import { Project } from './project.entity';

/**
 * A user's membership of a project: direct, through teams of the project, or both. A row that is neither is removed
 * (`docs/decisions/0041-teams.md`).
 */
@Entity('project_member', tableOptions)
export class ProjectMember {
  @PrimaryForeignKey()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  project?: Project;

  @Index()
  @PrimaryForeignKey()
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  user?: User;

  /** Whether the user may manage webhooks, statuses and members of the project. */
  @Column({ type: 'boolean' })
  projectAdministrator: boolean;

  /** Whether the user was added individually; only then may they administer the project. */
  @Column({ type: 'boolean', default: true })
  direct: boolean;

  /** Number of the project's teams that the user is in. */
  @Column({ type: 'integer', default: 0 })
  teamCount: number;

  @TimeColumn()
  created: number;
}
