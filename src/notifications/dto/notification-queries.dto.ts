import { BooleanField, IdField } from '../../http/request/fields';
import { IdPageQuery } from '../../http/request/page-query';
import { SelectedFieldsField } from '../../http/request/selected-fields';
import { UserNotificationDto } from './user-notification.dto';

/** Query of the caller's notifications. */
export class ListNotificationsQuery extends IdPageQuery {
  @IdField({ description: 'Only notifications caused by this user.', optional: true })
  readonly senderId?: number;

  @SelectedFieldsField(UserNotificationDto)
  readonly fields?: string;
}

/** Query of the number of the caller's notifications. */
export class CountNotificationsQuery {
  @BooleanField({
    description: '`true`: only notifications that the caller has seen; `false`: only others.',
    optional: true,
  })
  readonly alreadyRead?: boolean;

  @BooleanField({
    description: '`true`: only notifications whose subject the caller has opened; `false`: only others.',
    optional: true,
  })
  readonly resourceAlreadyRead?: boolean;
}
