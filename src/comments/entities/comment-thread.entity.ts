import { Entity, Index, ManyToOne } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions } from '../../database/schema/columns';
import { Project } from '../../projects/entities/project.entity';

/** The container of the comments, stars and notifications of its owner: an issue, pull request, wiki page or document. */
@Entity('comment_thread', tableOptions)
export class CommentThread {
  @PrimaryId()
  id: number;

  @Index()
  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  project?: Project;
}
