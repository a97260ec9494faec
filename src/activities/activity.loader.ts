import { Injectable } from '@nestjs/common';
import { type PathParameters, type ResourceLoader } from '../access/access';
import { type Caller } from '../access/caller';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { type ProjectResource } from '../projects/project-resource';
import { maySeeActivity } from './activity-rights';
import { ActivityRepository } from './data/activity.repository';

/** The activity named in the path. */
export type ActivityResource = ProjectResource;

/** Finds the activity of `/activities/{activityId}`. */
@Injectable()
export class ActivityLoader implements ResourceLoader<ActivityResource> {
  constructor(private readonly activities: ActivityRepository) {}

  async load({ activityId }: PathParameters, caller: Caller): Promise<ActivityResource> {
    const id = parseId(activityId);
    const found = id === undefined ? undefined : await this.activities.findVisible(caller, id);
    if (!found || !maySeeActivity(caller, found.type)) throw new NoResourceError('activity');
    return found;
  }
}
