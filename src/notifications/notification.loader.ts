import { Injectable } from '@nestjs/common';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { type Caller } from '../access/caller';
import { UserNotificationsService } from './user-notifications.service';

/** The notification named in the path. */
export interface NotificationResource extends AccessResource {
  id: number;
}

/** Finds the notification of `/notifications/{notificationId}`; notifications of other users are not found. */
@Injectable()
export class NotificationLoader implements ResourceLoader<NotificationResource> {
  constructor(private readonly notifications: UserNotificationsService) {}

  async load({ notificationId }: PathParameters, caller: Caller): Promise<NotificationResource> {
    const id = parseId(notificationId);
    if (id === undefined || !(await this.notifications.isShown(caller, id))) {
      throw new NoResourceError('notification');
    }
    return { id, ownerId: caller.id };
  }
}
