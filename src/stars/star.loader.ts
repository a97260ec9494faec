import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../access/access';
import { STARS_WITH_THREADS } from '../comments/stars.service';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { findVisible } from '../projects/project-resource';
import { PullRequestsService } from '../pull-requests/pull-requests.service';
import { type Caller } from '../access/caller';
import { DEVELOPERS } from '../access/role-type';

/** A star that the path names. */
export interface StarResource extends AccessResource {
  id: number;
}

/** Finds the star of `/stars/{starId}`; one on what the caller may not see is not there. */
@Injectable()
export class StarLoader implements ResourceLoader<StarResource> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pullRequests: PullRequestsService,
  ) {}

  async load({ starId }: PathParameters, caller: Caller): Promise<StarResource> {
    const id = parseId(starId);
    const found =
      id === undefined
        ? undefined
        : await findVisible<{ id: number; ownerId: number; threadId: number }>(this.dataSource, caller, {
            select: 's.id AS id, s.presenter_id AS ownerId, t.id AS threadId',
            from: STARS_WITH_THREADS,
            projectId: 't.project_id',
            where: 's.id = ?',
            parameters: [id],
          });
    if (!found || !(await this.maySeeThread(caller, found.threadId))) throw new NoResourceError('star');
    return found;
  }

  private async maySeeThread(caller: Caller, threadId: number): Promise<boolean> {
    return (
      DEVELOPERS.includes(caller.roleType) ||
      !(await this.pullRequests.findByThreadIds([threadId])).has(threadId)
    );
  }
}
