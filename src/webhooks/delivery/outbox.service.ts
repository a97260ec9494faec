import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivitiesService, type RecordedActivity } from '../../activities/activities.service';
import { isForDevelopers } from '../../activities/activity-rights';
import { toActivityEnvelope } from '../../activities/activity.mapper';
import { isReferenceError } from '../../database/database-errors';
import { insertRow, insertRows } from '../../database/rows';
import { TransactionsService } from '../../database/transactions.service';
import { NoResourceError } from '../../errors/domain-errors';
import { ProjectsService } from '../../projects/projects.service';
import { isDeveloper } from '../../users/developer-condition';
import { type UserDto } from '../../users/dto/user.dto';
import { UsersService } from '../../users/users.service';
import { newMessageId } from './delivery';
import { DeliveryState } from './delivery-state';
import { DispatcherService } from './dispatcher.service';
import { WebhookDelivery } from './entities/webhook-delivery.entity';
import { WebhookEvent } from './entities/webhook-event.entity';

interface SubscriptionRow {
  id: number;
  allEvent: number | boolean;
  /** JSON text. */
  activityTypeIds: string;
}

/** What a delivery tells of: the activity, or for a test nothing that happened. */
export type EventSource = Omit<RecordedActivity, 'id'> & { id: number | null };

/**
 * Writes what is to be delivered in the transaction of the change itself, so that an event is sent if and only if its
 * change has committed. Which webhooks it goes to is decided here, and what they are sent is frozen.
 */
@Injectable()
export class OutboxService implements OnModuleInit {
  constructor(
    private readonly activities: ActivitiesService,
    private readonly transactions: TransactionsService,
    private readonly projects: ProjectsService,
    private readonly users: UsersService,
    private readonly dispatcher: DispatcherService,
  ) {}

  onModuleInit(): void {
    this.activities.onRecorded((manager, activity) => this.enqueueForProject(manager, activity));
  }

  /** Puts an event on its way to webhooks, in the manager's transaction; gives the first delivery's id. */
  async enqueue(manager: EntityManager, event: EventSource, webhookIds: readonly number[]): Promise<number> {
    const payload = await this.payloadOf(manager, event);
    const eventId = await insertRow(manager, WebhookEvent, {
      activityId: event.id,
      activityType: event.type,
      payload,
      created: event.created,
    });
    const deliveries = webhookIds.map((webhookId) => ({
      eventId,
      webhookId,
      messageId: newMessageId(),
      state: DeliveryState.Pending,
      attempt: 0,
      nextAt: event.created,
      leaseUntil: 0,
      leaseToken: null,
      created: event.created,
      finished: null,
    }));
    const firstId = await insertRows(manager, WebhookDelivery, deliveries).catch((error: unknown) => {
      // A webhook that was there a moment ago goes only with its project.
      throw isReferenceError(error) ? new NoResourceError('project') : error;
    });
    this.transactions.afterCommit(manager, () => this.dispatcher.wake());
    return firstId;
  }

  private async enqueueForProject(manager: EntityManager, activity: RecordedActivity): Promise<void> {
    // Nobody has what they may not see sent to a webhook of theirs.
    const isSeen = isForDevelopers(activity.type) ? `AND ${isDeveloper('w.updated_user_id')}` : '';
    const subscriptions = await manager.query<SubscriptionRow[]>(
      `SELECT w.id AS id, w.all_event AS allEvent, w.activity_type_ids AS activityTypeIds
         FROM webhook w WHERE w.project_id = ? AND w.deleted = 0 ${isSeen}`,
      [activity.projectId],
    );
    const webhookIds = subscriptions
      .filter(
        (row) =>
          Boolean(row.allEvent) || (JSON.parse(row.activityTypeIds) as number[]).includes(activity.type),
      )
      .map((row) => row.id);
    if (webhookIds.length > 0) await this.enqueue(manager, activity, webhookIds);
  }

  /** The body of the request, in the family's envelope, with the references that the content has. */
  private async payloadOf(manager: EntityManager, event: EventSource): Promise<string> {
    const project = await this.projects.get(event.projectId, manager);
    const users = await this.users.findByIds([event.createdUserId], manager);
    return JSON.stringify(toActivityEnvelope(event, project, users.get(event.createdUserId) as UserDto));
  }
}
