import { Entity, Index, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { IssueType } from '../../project-settings/entities/issue-type.entity';
import { CustomField } from './custom-field.entity';

/** An issue type that a custom field applies to; a field without rows applies to all. */
@Entity('custom_field_issue_type', tableOptions)
export class CustomFieldIssueType {
  @PrimaryForeignKey()
  customFieldId: number;

  @ManyToOne(() => CustomField, { onDelete: 'CASCADE' })
  customField?: CustomField;

  @Index()
  @PrimaryForeignKey()
  issueTypeId: number;

  @ManyToOne(() => IssueType, { onDelete: 'CASCADE' })
  issueType?: IssueType;
}
