import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { insertRow } from '../database/statements';
import { type ActivityType } from './activity-type';
import { Activity } from './entities/activity.entity';

/** What happened, in the words of the family's webhook payloads. */
export interface NewActivity {
  projectId: number;
  type: ActivityType;
  content: object;
  createdUserId: number;
  /** Milliseconds since 1970. */
  created: number;
}

/** The record of what happened in projects. */
@Injectable()
export class ActivitiesService {
  /** Writes an activity in the transaction of the change that it tells of (decisions, section 6). */
  async record(manager: EntityManager, activity: NewActivity): Promise<void> {
    await insertRow(manager, Activity, activity);
  }
}
