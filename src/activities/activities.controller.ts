import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, CurrentRequester, PathResource } from '../access/access';
import { type Page } from '../paging/page';
import { type Requester } from '../event-loop/user-turns';
import { selectFields } from '../http/request/selected-fields';
import { Operation } from '../openapi/operation';
import { ProjectLoader } from '../projects/project.loader';
import { type VisibleProject } from '../projects/projects.service';
import { type Caller } from '../access/caller';
import { EVERYONE } from '../access/role-type';
import { UserLoader, type UserResource } from '../users/user.loader';
import { ActivityListsService } from './activity-lists.service';
import { ActivityLoader, type ActivityResource } from './activity.loader';
import { ActivityListQuery } from './dto/activity-list-query.dto';
import { ActivityDto } from './dto/activity.dto';

const GIT =
  'Only Administrators and Normal Users see activities of git repositories, pull requests, shared files and comments on documents.';

@ApiTags('Activities')
@Controller()
export class ActivitiesController {
  constructor(private readonly activities: ActivityListsService) {}

  @Get('projects/:projectIdOrKey/activities')
  @Operation({
    summary: 'List the activities of a project',
    description: `Newest first unless \`order\` is \`asc\`. ${GIT}`,
    returns: [ActivityDto],
  })
  @Access({ roles: EVERYONE, resource: ProjectLoader })
  async listProjectActivities(
    @PathResource() { id }: VisibleProject,
    @CurrentCaller() caller: Caller,
    @Query() query: ActivityListQuery,
    @CurrentRequester() requester: Requester,
  ): Promise<Page<ActivityDto>> {
    return selectFields(await this.activities.ofProject(id, caller, query, requester), query.fields);
  }

  @Get('space/activities')
  @Operation({
    summary: 'List the activities of the space',
    description: `Activities of the projects that the caller may see, newest first unless \`order\` is \`asc\`. ${GIT}`,
    returns: [ActivityDto],
  })
  @Access({ roles: EVERYONE })
  async listSpaceActivities(
    @CurrentCaller() caller: Caller,
    @Query() query: ActivityListQuery,
    @CurrentRequester() requester: Requester,
  ): Promise<Page<ActivityDto>> {
    return selectFields(await this.activities.ofSpace(caller, query, requester), query.fields);
  }

  @Get('users/:userId/activities')
  @Operation({
    summary: 'List the activities of a user',
    description: `Activities of the user in the projects that the caller may see, newest first unless \`order\` is \`asc\`. ${GIT}`,
    returns: [ActivityDto],
  })
  @Access({ roles: EVERYONE, resource: UserLoader })
  async listUserActivities(
    @PathResource() { id }: UserResource,
    @CurrentCaller() caller: Caller,
    @Query() query: ActivityListQuery,
    @CurrentRequester() requester: Requester,
  ): Promise<Page<ActivityDto>> {
    return selectFields(await this.activities.ofUser(id, caller, query, requester), query.fields);
  }

  @Get('activities/:activityId')
  @Operation({ summary: 'Get an activity', description: GIT, returns: ActivityDto })
  @Access({ roles: EVERYONE, resource: ActivityLoader })
  getActivity(@PathResource() { id }: ActivityResource): Promise<ActivityDto> {
    return this.activities.get(id);
  }
}
