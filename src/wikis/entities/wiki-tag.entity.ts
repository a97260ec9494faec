import { Column, Entity, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions } from '../../database/schema/columns';
import { Project } from '../../projects/entities/project.entity';

/** A tag in the names of a project's wiki pages: `[tag] Name`. */
@Entity('wiki_tag', tableOptions)
@Unique(['projectId', 'name'])
export class WikiTag {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  project?: Project;

  @Column({ length: 255 })
  name: string;
}
