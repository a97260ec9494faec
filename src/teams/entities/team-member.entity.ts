import { Entity, Index, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';
import { Team } from './team.entity';

/** A member of a team. */
@Entity('team_member', tableOptions)
export class TeamMember {
  @PrimaryForeignKey()
  teamId: number;

  @ManyToOne(() => Team, { onDelete: 'CASCADE' })
  team?: Team;

  @Index()
  @PrimaryForeignKey()
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  user?: User;
}
