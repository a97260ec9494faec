import { limitPerProject, limitFromSetting } from '../limits/count-limit';
import { type Manifest, PLACED_BY_NUMBER } from '../manifest';
import { idParameter } from '../openapi/path-parameters';
import { CustomFieldIssueType } from './entities/custom-field-issue-type.entity';
import { CustomFieldItem } from './entities/custom-field-item.entity';
import { CustomField } from './entities/custom-field.entity';

export const customFieldsManifest = {
  entities: [CustomField, CustomFieldItem],
  disposable: [CustomFieldIssueType],
  counters: {
    customField: {
      table: 'custom_field',
      ...PLACED_BY_NUMBER,
      ...limitPerProject('MAX_CUSTOM_FIELDS', 'custom fields'),
    },
  },
  countLimits: {
    customFieldItem: limitFromSetting(
      'MAX_CUSTOM_FIELD_ITEMS',
      (most) => `A custom field can have at most ${most} items.`,
    ),
  },
  pathParameters: { customFieldId: idParameter('custom field'), itemId: idParameter('item') },
  archived: {
    customField: { by: ['projectId'] },
    customFieldIssueType: { by: ['customFieldId'], within: 'customField' },
    customFieldItem: { by: ['customFieldId'], within: 'customField' },
  },
} satisfies Manifest;
