import { Entity, Index, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { Category } from '../../project-settings/entities/category.entity';
import { Issue } from './issue.entity';

/** A category of an issue. */
@Entity('issue_category', tableOptions)
export class IssueCategory {
  @PrimaryForeignKey()
  issueId: number;

  @ManyToOne(() => Issue, { onDelete: 'CASCADE' })
  issue?: Issue;

  @Index()
  @PrimaryForeignKey()
  categoryId: number;

  @ManyToOne(() => Category, { onDelete: 'CASCADE' })
  category?: Category;
}
