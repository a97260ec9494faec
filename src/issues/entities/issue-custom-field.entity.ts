import { Column, Entity, Index, ManyToOne } from 'typeorm';
import { CustomField } from '../../custom-fields/entities/custom-field.entity';
import {
  BigIntColumn,
  DateColumn,
  LongTextColumn,
  PrimaryForeignKey,
  tableOptions,
} from '../../database/schema/columns';
import { Issue } from './issue.entity';

/** The value of a custom field in an issue, in the column for its type. The items of a list are stored in a separate table. */
@Entity('issue_custom_field', tableOptions)
@Index(['customFieldId', 'numberValue'])
@Index(['customFieldId', 'dateValue'])
@Index(['customFieldId', 'textKey'])
export class IssueCustomField {
  @PrimaryForeignKey()
  issueId: number;

  @ManyToOne(() => Issue, { onDelete: 'CASCADE' })
  issue?: Issue;

  @PrimaryForeignKey()
  customFieldId: number;

  @ManyToOne(() => CustomField, { onDelete: 'CASCADE' })
  customField?: CustomField;

  @LongTextColumn({ nullable: true })
  textValue: string | null;

  /** The first characters of the text, used for sorting because no engine indexes the full text. */
  @Column({ type: 'varchar', length: 100, nullable: true })
  textKey: string | null;

  /** In ten-thousandths, as an integer: one driver returns a decimal as a string, another as a float. */
  @BigIntColumn({ nullable: true })
  numberValue: number | null;

  @DateColumn({ nullable: true })
  dateValue: string | null;

  /** The free text next to the items of a check box or radio button. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  otherValue: string | null;
}
