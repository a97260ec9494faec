import { NumericEnumListField } from '../../http/request/fields';
import { KeysetPageQuery } from '../../http/request/page-query';
import { SelectedFieldsField } from '../../http/request/selected-fields';
import { RefuseUnknownParameters } from '../../http/request/unknown-names';
import { ACTIVITY_TYPES, type ActivityType } from '../activity-type';
import { ActivityDto } from './activity.dto';

/** Query of a list of activities. */
@RefuseUnknownParameters()
export class ActivityListQuery extends KeysetPageQuery {
  @NumericEnumListField({
    description: 'Only activities of these types.',
    codes: ACTIVITY_TYPES,
    optional: true,
  })
  readonly activityTypeId: ActivityType[] = [];

  @SelectedFieldsField(ActivityDto)
  readonly fields?: string;
}
