import { Column, Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { User } from '../../users/entities/user.entity';
import { ViewKind } from '../view-kind';

/**
 * When a user last viewed something. No foreign key to what it is: a view may be written after that has been deleted. Lists
 * leave it out, and newer views push it out.
 */
@Entity('recently_viewed', tableOptions)
@Unique(['userId', 'kind', 'subjectId'])
export class RecentlyViewed {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id' })
  user?: User;

  @Column({ type: 'smallint' })
  kind: ViewKind;

  @BigIntColumn()
  subjectId: number;

  /** The project that it belongs to, or that it is. */
  @Index()
  @BigIntColumn()
  projectId: number;

  @TimeColumn()
  viewed: number;
}
