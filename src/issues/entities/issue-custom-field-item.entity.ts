import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { CustomFieldItem } from '../../custom-fields/entities/custom-field-item.entity';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { Issue } from './issue.entity';

/** An item of a custom field that is selected in an issue. */
@Entity('issue_custom_field_item', tableOptions)
export class IssueCustomFieldItem {
  @PrimaryForeignKey()
  issueId: number;

  @ManyToOne(() => Issue, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'issue_id' })
  issue?: Issue;

  @Index()
  @PrimaryForeignKey()
  itemId: number;

  @ManyToOne(() => CustomFieldItem, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'item_id' })
  item?: CustomFieldItem;
}
