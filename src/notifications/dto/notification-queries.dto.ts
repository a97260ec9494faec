import { BooleanField, IdField } from '../../http/request/fields';
import { IdPageQuery } from '../../http/request/page-query';

/** Query of the caller's notifications. */
export class ListNotificationsQuery extends IdPageQuery {
  @IdField({ description: 'Only those caused by this user.', optional: true })
  readonly senderId?: number;
}

/** Query of the number of the caller's notifications. */
export class CountNotificationsQuery {
  @BooleanField({ description: 'Only those that the caller has seen, or has not.', optional: true })
  readonly alreadyRead?: boolean;

  @BooleanField({ description: 'Only those about what the caller has opened, or has not.', optional: true })
  readonly resourceAlreadyRead?: boolean;
}
