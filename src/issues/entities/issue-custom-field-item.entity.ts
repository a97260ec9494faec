import { Entity, Index, ManyToOne } from 'typeorm';
import { CustomFieldItem } from '../../custom-fields/entities/custom-field-item.entity';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { Issue } from './issue.entity';

/** An item of a custom field that is selected in an issue. */
@Entity('issue_custom_field_item', tableOptions)
export class IssueCustomFieldItem {
  @PrimaryForeignKey()
  issueId: number;

  @ManyToOne(() => Issue, { onDelete: 'CASCADE' })
  issue?: Issue;

  @Index()
  @PrimaryForeignKey()
  itemId: number;

  @ManyToOne(() => CustomFieldItem, { onDelete: 'CASCADE' })
  item?: CustomFieldItem;
}
