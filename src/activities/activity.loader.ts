import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type PathParameters, type ResourceLoader } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { findVisible, type ProjectResource } from '../projects/project-resource';
import { type Caller } from '../access/caller';
import { maySeeActivity } from './activity-rights';
import { type ActivityType } from './activity-type';

/** An activity that the path names. */
export type ActivityResource = ProjectResource;

/** Finds the activity of `/activities/{activityId}`. */
@Injectable()
export class ActivityLoader implements ResourceLoader<ActivityResource> {
  constructor(private readonly dataSource: DataSource) {}

  async load({ activityId }: PathParameters, caller: Caller): Promise<ActivityResource> {
    const id = parseId(activityId);
    const found =
      id === undefined
        ? undefined
        : await findVisible<{ id: number; projectId: number; type: ActivityType }>(this.dataSource, caller, {
            select: 'a.id AS id, a.project_id AS projectId, a.type AS type',
            from: 'activity a',
            projectId: 'a.project_id',
            where: 'a.id = ?',
            parameters: [id],
          });
    if (!found || !maySeeActivity(caller, found.type)) throw new NoResourceError('activity');
    return found;
  }
}
