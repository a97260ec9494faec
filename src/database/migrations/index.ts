import { ActivityTexts1795305292174 } from './1795305292174-activity-texts';
import { WikiRemoval1795283618954 } from './1795283618954-wiki-removal';
import { ReadLists1795280954966 } from './1795280954966-read-lists';
import { CompleteProjects1795251875931 } from './1795251875931-complete-projects';
import { WebhookDelivery1795231642882 } from './1795231642882-webhook-delivery';
import { InitialSchema1795229893040 } from './1795229893040-initial-schema';
import { type MigrationInterface } from 'typeorm';

/** Every migration, oldest first. `npm run migration:generate` adds to this list. */
export const migrations: (new () => MigrationInterface)[] = [
  InitialSchema1795229893040,
  WebhookDelivery1795231642882,
  CompleteProjects1795251875931,
  ReadLists1795280954966,
  WikiRemoval1795283618954,
  ActivityTexts1795305292174,
];
