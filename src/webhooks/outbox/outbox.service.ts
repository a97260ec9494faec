import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivitiesService, type RecordedActivity } from '../../activities/activities.service';
import { ActivityRetentionService } from '../../activities/activity-retention.service';
import { isForDevelopers } from '../../activities/activity-rights';
import { toActivityEnvelope } from '../../activities/activity.mapper';
import { Environment } from '../../config/environment';
import { isReferenceError } from '../../database/connections/database-errors';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { NoResourceError } from '../../errors/domain-errors';
import { type Replacer, userReplacer } from '../../http/response/shown-users';
import { ProjectsService } from '../../projects/projects.service';
import { type UserDto } from '../../users/dto/user.dto';
import { UsersService } from '../../users/users.service';
import { WebhookRepository } from '../data/webhook.repository';
import { DeliveryRepository } from '../data/delivery.repository';
import { WebhookEventRepository } from '../data/webhook-event.repository';
import { newMessageId } from '../sending/delivery';
import { DispatcherService } from '../sending/dispatcher.service';
import { toPayloadContent } from './payload-content';

/** The activity that a delivery reports, or the sample of a test, which has no id. */
export type EventSource = Omit<RecordedActivity, 'id'> & { id: number | null };

/**
 * Writes deliveries in the transaction of the change itself, so that an event is sent if and only if its change commits. This
 * also fixes the webhooks that the event is sent to, and its content.
 */
@Injectable()
export class OutboxService implements OnModuleInit {
  private readonly replacer: Replacer | undefined;

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly events: WebhookEventRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly activities: ActivitiesService,
    private readonly retention: ActivityRetentionService,
    private readonly transactions: TransactionsService,
    private readonly projects: ProjectsService,
    private readonly users: UsersService,
    private readonly dispatcher: DispatcherService,
    environment: Environment,
  ) {
    this.replacer = userReplacer(environment.vendorAccountAlias);
  }

  onModuleInit(): void {
    this.activities.onRecorded((manager, activity) => this.enqueueForProject(manager, activity));
    // An activity outlives its deliveries: they are removed with it, whether they have arrived or not.
    this.retention.register((manager, activityIds) => this.events.findActivityIds(manager, activityIds));
  }

  /** Writes the deliveries of an event to webhooks, in the manager's transaction; returns the first delivery's id. */
  async enqueue(manager: EntityManager, event: EventSource, webhookIds: readonly number[]): Promise<number> {
    const payload = await this.payloadOf(manager, event);
    const eventId = await this.events.insert(manager, {
      activityId: event.id,
      activityType: event.type,
      payload,
      created: event.created,
    });
    const deliveries = webhookIds.map((webhookId) => ({
      eventId,
      webhookId,
      messageId: newMessageId(),
      nextAt: event.created,
      created: event.created,
    }));
    const firstId = await this.deliveries.insert(manager, deliveries).catch((error: unknown) => {
      // The row of a webhook that existed a moment ago is removed only with its project.
      throw isReferenceError(error) ? new NoResourceError('project') : error;
    });
    this.transactions.afterCommit(manager, () => this.dispatcher.wake());
    return firstId;
  }

  private async enqueueForProject(manager: EntityManager, activity: RecordedActivity): Promise<void> {
    // A webhook is not sent activities that its last editor may not see.
    const isRestricted = isForDevelopers(activity.type);
    const subscriptions = await this.webhooks.findSubscriptions(manager, activity.projectId, isRestricted);
    const webhookIds = subscriptions
      .filter(({ allEvent, activityTypeIds }) => allEvent || activityTypeIds.includes(activity.type))
      .map(({ id }) => id);
    if (webhookIds.length > 0) await this.enqueue(manager, activity, webhookIds);
  }

  /** Returns the request body: the content, with its references to long texts, in the family's envelope. */
  private async payloadOf(manager: EntityManager, event: EventSource): Promise<string> {
    const project = await this.projects.get(event.projectId, manager);
    const users = await this.users.findByIds([event.author.id], manager);
    const content = toPayloadContent(event.type, event.content);
    const createdUser = users.get(event.author.id) as UserDto;
    const envelope = toActivityEnvelope({ ...event, content }, project, createdUser, event.author.agent);
    return JSON.stringify(envelope, this.replacer);
  }
}
