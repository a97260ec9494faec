import { Entity, Index, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, EnumColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';
import { ViewKind } from '../view-kind';

/**
 * The last view of a subject by a user. There is no foreign key to the subject, because a view may be written after the subject has been
 * deleted. Lists omit such views, and newer views displace them.
 */
@Entity('recently_viewed', tableOptions)
@Unique(['userId', 'kind', 'subjectId'])
export class RecentlyViewed {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  user?: User;

  @EnumColumn(ViewKind)
  kind: ViewKind;

  @BigIntColumn()
  subjectId: number;

  /** The subject's project, or the subject itself if it is a project. */
  @Index()
  @BigIntColumn()
  projectId: number;

  @TimeColumn()
  viewed: number;
}
