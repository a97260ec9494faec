import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Author } from '../access/caller';
import { originOf, pastChangeOf } from '../access/past-change';
import { type EntityRunner } from '../database/sql/statements';
import { type Declared } from '../manifests';
import { type ActivityType } from './activity-type';
import { ActivityRepository } from './data/activity.repository';
import { ActivityTextRepository } from './data/activity-text.repository';
import { textPeriodAt } from './text-period';
import { extractTexts } from './text-references';

/** The content of each activity type, with the fields that webhook receivers of the family know; manifests have samples of it. */
export type ActivityContents = IntersectionOf<Declared<'activities' | 'developerActivities'>>;

type IntersectionOf<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** A new activity, in the format of the family's webhook payloads. */
export interface NewActivity<Type extends ActivityType = ActivityType> {
  projectId: number;
  type: Type;
  content: ActivityContents[Type];
  author: Author;
  /** Milliseconds since 1970; the time of writing by default. */
  created?: number;
}

/** A written activity, with references in place of the long texts of its content. */
export interface RecordedActivity extends Omit<Required<NewActivity>, 'type' | 'content'> {
  id: number;
  type: ActivityType;
  content: object;
}

/** Called for each activity, in the transaction that writes it. */
export type ActivityListener = (manager: EntityManager, activity: RecordedActivity) => Promise<void>;

/** Records the activities of projects. */
@Injectable()
export class ActivitiesService {
  private readonly listeners: ActivityListener[] = [];

  constructor(
    private readonly activities: ActivityRepository,
    private readonly texts: ActivityTextRepository,
  ) {}

  /** Registers a listener; its writes for an activity commit with it or not at all. It does not learn of past changes. */
  onRecorded(listener: ActivityListener): void {
    this.listeners.push(listener);
  }

  /** Returns the id of the newest activity of a project; undefined if it has none. */
  findLastId(projectId: number, runner?: EntityRunner): Promise<number | undefined> {
    return this.activities.findLastId(projectId, runner);
  }

  /** Writes an activity in the transaction of its change, and its long texts once per project and period (`docs/decisions/0009-activities-and-notifications.md`). */
  async record<Type extends ActivityType>(
    manager: EntityManager,
    activity: NewActivity<Type>,
  ): Promise<void> {
    const { projectId, type } = activity;
    // The time of writing, not of the activity, which is earlier for a past change, and for a push that is recorded late.
    const now = Date.now();
    const { author, created } = originOf(manager, activity.author, activity.created ?? now);
    const scope = { projectId, period: textPeriodAt(now) };
    const { content, texts } = extractTexts(scope, activity.content);
    await this.texts.insertMissing(manager, scope, texts);
    const recorded = { projectId, type, content, created };
    const id = await this.activities.insert(manager, {
      ...recorded,
      createdUserId: author.id,
      agentKeyId: author.agent?.keyId ?? null,
    });
    if (pastChangeOf(manager)) return;
    for (const listener of this.listeners) await listener(manager, { ...recorded, author, id });
  }
}
