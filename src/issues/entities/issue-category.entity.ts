import { Entity, Index, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { Category } from '../../project-settings/entities/category.entity';
import { Issue } from './issue.entity';

/** A category of an issue. */
@Entity('issue_category', tableOptions)
// Has a category's issues in the order of their ids, on every engine.
@Index(['categoryId', 'issueId'])
export class IssueCategory {
  @PrimaryForeignKey()
  issueId: number;

  @ManyToOne(() => Issue, { onDelete: 'CASCADE' })
  issue?: Issue;

  @PrimaryForeignKey()
  categoryId: number;

  @ManyToOne(() => Category, { onDelete: 'CASCADE' })
  category?: Category;
}
