import { BooleanField, IdField } from '../../http/request/fields';
import { IdPageQuery } from '../../http/request/page-query';

/** Query of the caller's notifications. */
export class ListNotificationsQuery extends IdPageQuery {
  @IdField({ description: 'Only notifications caused by this user.', optional: true })
  readonly senderId?: number;
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
