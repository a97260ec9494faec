import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type NewActivity } from '../activities/activities.service';
import {
  type ActivityChange,
  type ActivityComment,
  type RepositoryContent,
  toActivityUser,
} from '../activities/activity-content';
import { type ActivityType } from '../activities/activity-type';
import { GitRepositoriesService } from '../git-repositories/git-repositories.service';
import { IssuesService } from '../issues/issues.service';
import { type NamedPeople, ProjectPeopleService } from '../projects/project-people.service';
import { ProjectsService } from '../projects/projects.service';
import { type Caller } from '../access/caller';
import { DEVELOPERS } from '../access/role-type';
import { UsersService } from '../users/users.service';
import { pullRequestActivity } from './pull-request-activity';
import { type PullRequestState, type ReadableNames } from './changes/pull-request-changes';
import { type PullRequestRow } from './data/pull-request.repository';

/** An activity about a pull request. */
interface PullRequestEvent {
  type: ActivityType.PullRequestCreated | ActivityType.PullRequestUpdated | ActivityType.PullRequestCommented;
  comment: ActivityComment | null;
  changes: readonly ActivityChange[];
}

/** Finds the users whom a change of a pull request concerns, and describes the activity about it. */
@Injectable()
export class PullRequestEventsService {
  constructor(
    private readonly users: UsersService,
    private readonly projects: ProjectsService,
    private readonly people: ProjectPeopleService,
    private readonly issues: IssuesService,
    private readonly repositories: GitRepositoriesService,
  ) {}

  /**
   * Returns the users named in a request, and those who are mentioned in its text and can see pull requests.
   * @throws InvalidRequestError when a user cannot be notified in this project
   */
  peopleOf(
    projectId: number,
    caller: Caller,
    request: { notifiedUserId?: readonly number[]; assigneeId?: number | null },
    text = '',
  ): Promise<NamedPeople> {
    return this.people.peopleOf(projectId, caller, request, { text, roles: DEVELOPERS });
  }

  /** Returns the keys of the issues and the names of the assignees in states of a pull request. */
  async namesOf(
    manager: EntityManager,
    projectId: number,
    states: readonly PullRequestState[],
  ): Promise<ReadableNames> {
    const { projectKey } = await this.projects.get(projectId, manager);
    const issues = await this.issues.findHeads(distinct(states.map((state) => state.issueId)), manager);
    const users = await this.users.findByIds(distinct(states.map((state) => state.assigneeId)), manager);
    return {
      issueKeys: new Map([...issues.values()].map((issue) => [issue.id, `${projectKey}-${issue.key_id}`])),
      userNames: new Map([...users.values()].map((user) => [user.id, user.name])),
    };
  }

  /** Describes an activity about a pull request in its state within the transaction. */
  async describe(
    manager: EntityManager,
    row: PullRequestRow,
    { type, comment, changes }: PullRequestEvent,
  ): Promise<Pick<NewActivity<PullRequestEvent['type']>, 'type' | 'content'>> {
    const repositories = await this.repositories.findSummaries([row.repositoryId], manager);
    const [issue = null] = (await this.issues.findHeads(distinct([row.issueId]), manager)).values();
    const [assignee] = (await this.users.findByIds(distinct([row.assigneeId]), manager)).values();
    const content = pullRequestActivity(row, {
      comment,
      changes: [...changes],
      issue,
      assignee: assignee ? toActivityUser(assignee) : null,
      repository: repositories.get(row.repositoryId) as RepositoryContent,
    });
    return { type, content };
  }
}

/** Removes nulls and duplicates from ids. */
const distinct = (ids: readonly (number | null)[]): number[] => [...new Set(ids.flatMap((id) => id ?? []))];
