import { Entity, Index, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { Project } from '../../projects/entities/project.entity';
import { Team } from './team.entity';

/** A team whose members are members of a project. */
@Entity('project_team', tableOptions)
export class ProjectTeam {
  @PrimaryForeignKey()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  project?: Project;

  @Index()
  @PrimaryForeignKey()
  teamId: number;

  @ManyToOne(() => Team, { onDelete: 'CASCADE' })
  team?: Team;
}
