import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, PathResource } from '../access/access';
import { GitRepositoryLoader, type GitRepositoryResource } from '../git-repositories/git-repository.loader';
import { CountDto } from '../http/response/count.dto';
import { type Page } from '../paging/page';
import { Operation } from '../openapi/operation';
import { type Caller } from '../access/caller';
import { DEVELOPERS } from '../access/role-type';
import { AddPullRequestDto } from './dto/add-pull-request.dto';
import { ListPullRequestsQuery } from './dto/pull-request-queries.dto';
import { PullRequestDto } from './dto/pull-request.dto';
import { UpdatePullRequestDto } from './dto/update-pull-request.dto';
import { PullRequestReaderService } from './pull-request-reader.service';
import { PullRequestSearchService } from './search/pull-request-search.service';
import { alreadyMergedError } from './changes/pull-request-writer.service';
import { conflictOf } from './merging/merge-commits.service';
import { PullRequestUpdateService } from './changes/pull-request-update.service';
import { PullRequestLoader, type PullRequestResource } from './pull-request.loader';
import { PullRequestsService } from './pull-requests.service';

@ApiTags('Pull requests')
@Controller('projects/:projectIdOrKey/git/repositories/:repoIdOrName/pullRequests')
export class PullRequestsController {
  constructor(
    private readonly pullRequests: PullRequestsService,
    private readonly updates: PullRequestUpdateService,
    private readonly search: PullRequestSearchService,
    private readonly reader: PullRequestReaderService,
  ) {}

  @Get()
  @Operation({
    summary: 'List the pull requests of a git repository',
    description:
      'Newest first unless `order` is `asc`. A pull request matches a filter if it has any of the given values, and is listed if it matches all filters.',
    returns: [PullRequestDto],
  })
  @Access({ roles: DEVELOPERS, resource: GitRepositoryLoader })
  listPullRequests(
    @PathResource() repository: GitRepositoryResource,
    @Query() query: ListPullRequestsQuery,
  ): Promise<Page<PullRequestDto>> {
    return this.search.list(repository.id, query);
  }

  @Post()
  @Operation({
    summary: 'Add a pull request',
    description:
      'Notifies the named users and the assignee, and attaches the given uploads. Writes activity 18. With git, both branches must exist.',
    returns: PullRequestDto,
    countLimit: 'attachedFile',
  })
  @Access({ roles: DEVELOPERS, resource: GitRepositoryLoader })
  addPullRequest(
    @PathResource() repository: GitRepositoryResource,
    @CurrentCaller() caller: Caller,
    @Body() body: AddPullRequestDto,
  ): Promise<PullRequestDto> {
    return this.pullRequests.create(repository, caller, body);
  }

  @Get('count')
  @Operation({
    summary: 'Count the pull requests of a git repository',
    description: 'Accepts the parameters of the list, and counts the pull requests on all of its pages.',
    returns: CountDto,
  })
  @Access({ roles: DEVELOPERS, resource: GitRepositoryLoader })
  countPullRequests(
    @PathResource() repository: GitRepositoryResource,
    @Query() query: ListPullRequestsQuery,
  ): Promise<CountDto> {
    return this.search.count(repository.id, query);
  }

  @Get(':number')
  @Operation({ summary: 'Get a pull request', returns: PullRequestDto })
  @Access({ roles: DEVELOPERS, resource: PullRequestLoader })
  getPullRequest(@PathResource() pullRequest: PullRequestResource): Promise<PullRequestDto> {
    return this.reader.get(pullRequest.id);
  }

  @Patch(':number')
  @Operation({
    summary: 'Update a pull request',
    description:
      'Changes the given fields and attaches the given files. Records the changes in a comment, with the text of `comment` if there is one. Writes activity 19, or 20 if no field has changed. A request without a change, a file, a comment or a user to notify has no effect. With git, the status Merged adds a merge commit by the caller to `base`; without git, it is only stored. A request that merges cannot attach files. In this operation, `statusId` is not part of the API family.',
    returns: PullRequestDto,
    conflicts: [conflictOf(['README.md'], 1), alreadyMergedError()],
  })
  @Access({ roles: DEVELOPERS, resource: PullRequestLoader })
  updatePullRequest(
    @PathResource() pullRequest: PullRequestResource,
    @CurrentCaller() caller: Caller,
    @Body() body: UpdatePullRequestDto,
  ): Promise<PullRequestDto> {
    return this.updates.update(pullRequest, caller, body);
  }
}
