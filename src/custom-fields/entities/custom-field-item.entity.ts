import { Column, Entity, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions } from '../../database/schema/columns';
import { CustomField } from './custom-field.entity';

/** An item that can be selected in a list field. */
@Entity('custom_field_item', tableOptions)
@Unique(['customFieldId', 'nameKey'])
export class CustomFieldItem {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  customFieldId: number;

  @ManyToOne(() => CustomField, { onDelete: 'CASCADE' })
  customField?: CustomField;

  @Column({ length: 255 })
  name: string;

  /** The result of `foldName`, by which names are compared. */
  @Column({ length: 765 })
  nameKey: string;

  @Column({ type: 'integer' })
  displayOrder: number;
}
