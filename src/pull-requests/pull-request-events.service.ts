import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivitiesService } from '../activities/activities.service';
import { type ActivityChange, type ActivityComment } from '../activities/activity-content';
import { type ActivityType } from '../activities/activity-type';
import { InvalidRequestError } from '../errors/domain-errors';
import { GitRepositoriesService, type RepositorySummary } from '../git-repositories/git-repositories.service';
import { IssuesService } from '../issues/issues.service';
import { ProjectsService } from '../projects/projects.service';
import { type Caller } from '../users/caller';
import { type UserDto } from '../users/dto/user.dto';
import { UsersService } from '../users/users.service';
import { pullRequestActivity } from './pull-request-activity';
import { type PullRequestState, type ReadableNames } from './pull-request-changes';
import { type PullRequestRow } from './pull-request.mapper';

/** Those whom a request names, and who sends it. */
export interface PeopleNamed {
  notified: UserDto[];
  /** Why whom it names as the assignee cannot be one; who is it already may stay. */
  assigneeRefusal?: InvalidRequestError;
  /** All of them by id, with the caller. */
  users: ReadonlyMap<number, UserDto>;
}

/** An activity about a pull request. */
interface PullRequestEvent {
  type: ActivityType.PullRequestCreated | ActivityType.PullRequestUpdated | ActivityType.PullRequestCommented;
  comment: ActivityComment | null;
  changes: ActivityChange[];
  caller: Caller;
  /** Milliseconds since 1970. */
  created: number;
}

/** Whom changes of pull requests concern, and what is told of them. */
@Injectable()
export class PullRequestEvents {
  constructor(
    private readonly users: UsersService,
    private readonly projects: ProjectsService,
    private readonly issues: IssuesService,
    private readonly repositories: GitRepositoriesService,
    private readonly activities: ActivitiesService,
  ) {}

  /**
   * The users whom a request names.
   * @throws InvalidRequestError when some of those to be notified cannot be told of anything in the project
   */
  async peopleOf(
    projectId: number,
    caller: Caller,
    request: { notifiedUserId?: readonly number[]; assigneeId?: number | null },
  ): Promise<PeopleNamed> {
    const { notifiedUserId = [] } = request;
    const assigneeIds = request.assigneeId ? [request.assigneeId] : [];
    const users = await this.users.findByIds([caller.id, ...notifiedUserId, ...assigneeIds]);
    const notified = await this.projects.getNotifiable(projectId, notifiedUserId, users, 'notifiedUserId');
    try {
      await this.projects.getNotifiable(projectId, assigneeIds, users, 'assigneeId');
      return { notified, users };
    } catch (error) {
      if (error instanceof InvalidRequestError) return { notified, users, assigneeRefusal: error };
      throw error;
    }
  }

  /** What the issues and assignees of states of a pull request are called. */
  async namesOf(
    manager: EntityManager,
    projectId: number,
    states: readonly PullRequestState[],
  ): Promise<ReadableNames> {
    const { projectKey } = await this.projects.getSummary(manager, projectId);
    const issues = await this.issues.findHeads(distinct(states.map((state) => state.issueId)), manager);
    const users = await this.users.findByIds(distinct(states.map((state) => state.assigneeId)), manager);
    return {
      issueKeys: new Map([...issues.values()].map((issue) => [issue.id, `${projectKey}-${issue.key_id}`])),
      userNames: new Map([...users.values()].map((user) => [user.id, user.name])),
    };
  }

  /** Writes an activity about a pull request as it is in this transaction. */
  async record(manager: EntityManager, row: PullRequestRow, event: PullRequestEvent): Promise<void> {
    const { type, comment, changes, caller, created } = event;
    const repositories = await this.repositories.findSummaries([row.repositoryId], manager);
    const [issue = null] = (await this.issues.findHeads(distinct([row.issueId]), manager)).values();
    const [assignee] = (await this.users.findByIds(distinct([row.assigneeId]), manager)).values();
    await this.activities.record(manager, {
      projectId: row.projectId,
      type,
      content: pullRequestActivity(row, {
        comment,
        changes,
        issue,
        assignee: assignee ? { id: assignee.id, name: assignee.name } : null,
        repository: repositories.get(row.repositoryId) as RepositorySummary,
      }),
      createdUserId: caller.id,
      created,
    });
  }
}

/** Ids without duplicates, and without those that are not there. */
const distinct = (ids: readonly (number | null)[]): number[] => [...new Set(ids.flatMap((id) => id ?? []))];
