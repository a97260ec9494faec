import { Column, Entity, Unique } from 'typeorm';
import { EnumColumn, JsonColumn, LongTextColumn, tableOptions } from '../../database/schema/columns';
import { ProjectSetting } from '../../project-settings/entities/project-setting.entity';
import { areSettings, type CustomFieldSettings } from '../custom-field-settings';
import { CustomFieldType } from '../custom-field-type';

/** A custom field of a project's issues (`docs/decisions/0037-custom-fields.md`). */
@Entity('custom_field', tableOptions)
@Unique(['projectId', 'nameKey'])
export class CustomField extends ProjectSetting {
  @EnumColumn(CustomFieldType)
  typeId: CustomFieldType;

  @LongTextColumn()
  description: string;

  @Column({ type: 'boolean' })
  required: boolean;

  /** The settings that only some types have. */
  @JsonColumn({ hasShape: areSettings })
  settings: CustomFieldSettings;

  /** Number of updates since the field was added. */
  @Column({ type: 'integer', default: 0 })
  version: number;
}
