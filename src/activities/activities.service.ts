import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { insertRow } from '../database/rows';
import { type ActivityContents, type WrittenActivityType } from './activity-content';
import { keepTexts } from './activity-texts';
import { type ActivityType } from './activity-type';
import { Activity } from './entities/activity.entity';

/** What happened, in the words of the family's webhook payloads. */
export interface NewActivity<Type extends WrittenActivityType = WrittenActivityType> {
  projectId: number;
  type: Type;
  content: ActivityContents[Type];
  createdUserId: number;
  /** Milliseconds since 1970. */
  created: number;
}

/** An activity that has been written, with references in its content where long texts are kept. */
export interface RecordedActivity extends Omit<NewActivity, 'type' | 'content'> {
  id: number;
  type: ActivityType;
  content: object;
}

/** Is told of each activity in the transaction that writes it. */
export type ActivityListener = (manager: EntityManager, activity: RecordedActivity) => Promise<void>;

/** The record of what happened in projects. */
@Injectable()
export class ActivitiesService {
  private readonly listeners: ActivityListener[] = [];

  /** Has a module told of activities, so that what it writes for them commits with them or not at all. */
  onRecorded(listener: ActivityListener): void {
    this.listeners.push(listener);
  }

  /** Writes an activity in the transaction of its change (`docs/decisions/0009-activities-and-notifications.md`). */
  async record<Type extends WrittenActivityType>(
    manager: EntityManager,
    activity: NewActivity<Type>,
  ): Promise<void> {
    const content = await keepTexts(manager, activity.projectId, activity.content);
    const recorded = { ...activity, content };
    const id = await insertRow(manager, Activity, recorded);
    for (const listener of this.listeners) await listener(manager, { ...recorded, id });
  }
}
