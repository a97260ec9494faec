import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, PathResource } from '../../access/access';
import { type Caller } from '../../access/caller';
import { DEVELOPERS } from '../../access/role-type';
import { ChangedFileDto } from '../../git-repositories/contents/dto/changed-file.dto';
import { CommitDto } from '../../git-repositories/contents/dto/commit.dto';
import { ListContentsQuery } from '../../git-repositories/contents/dto/contents-queries.dto';
import { NOT_OF_THE_FAMILY } from '../../openapi/not-of-the-family';
import { type FileAnswer } from '../../http/response/file-answer';
import { ClientSignal } from '../../http/server/client-signal';
import { Operation } from '../../openapi/operation';
import { type Page } from '../../paging/page';
import { PullRequestLoader, type PullRequestResource } from '../pull-request.loader';
import { PullRequestContentsService } from './pull-request-contents.service';

@ApiTags('Pull requests')
@Controller('projects/:projectIdOrKey/git/repositories/:repoIdOrName/pullRequests')
export class PullRequestContentsController {
  constructor(private readonly contents: PullRequestContentsService) {}

  @Get(':number/commits')
  @Operation({
    summary: 'List the commits of a pull request',
    description: `Commits that are in \`branch\` but not in \`base\`, or were not when it was merged, newest first. ${NOT_OF_THE_FAMILY}`,
    returns: [CommitDto],
  })
  @Access({ roles: DEVELOPERS, resource: PullRequestLoader })
  listPullRequestCommits(
    @PathResource() pullRequest: PullRequestResource,
    @CurrentCaller() caller: Caller,
    @ClientSignal() signal: AbortSignal,
    @Query() query: ListContentsQuery,
  ): Promise<Page<CommitDto>> {
    return this.contents.listCommits({ pullRequest, userId: caller.id, signal }, query);
  }

  @Get(':number/files')
  @Operation({
    summary: 'List the changed files of a pull request',
    description: `Includes the patches, compared with the commit at which \`branch\` diverged from \`base\`. ${NOT_OF_THE_FAMILY}`,
    returns: [ChangedFileDto],
  })
  @Access({ roles: DEVELOPERS, resource: PullRequestLoader })
  listPullRequestFiles(
    @PathResource() pullRequest: PullRequestResource,
    @CurrentCaller() caller: Caller,
    @ClientSignal() signal: AbortSignal,
    @Query() query: ListContentsQuery,
  ): Promise<Page<ChangedFileDto>> {
    return this.contents.listFiles({ pullRequest, userId: caller.id, signal }, query);
  }

  @Get(':number.diff')
  @Operation({
    summary: 'Get the changes of a pull request as a diff',
    description: `At most 64 MiB; beyond that, the connection is closed. ${NOT_OF_THE_FAMILY}`,
    returns: 'text',
  })
  @Access({ roles: DEVELOPERS, resource: PullRequestLoader })
  getPullRequestDiff(
    @PathResource() pullRequest: PullRequestResource,
    @CurrentCaller() caller: Caller,
    @ClientSignal() signal: AbortSignal,
  ): Promise<FileAnswer> {
    return this.contents.diff({ pullRequest, userId: caller.id, signal });
  }

  @Get(':number.patch')
  @Operation({
    summary: 'Get the commits of a pull request as patches',
    description: `In the format of \`git am\`, without merges. At most 64 MiB; beyond that, the connection is closed. ${NOT_OF_THE_FAMILY}`,
    returns: 'text',
  })
  @Access({ roles: DEVELOPERS, resource: PullRequestLoader })
  getPullRequestPatch(
    @PathResource() pullRequest: PullRequestResource,
    @CurrentCaller() caller: Caller,
    @ClientSignal() signal: AbortSignal,
  ): Promise<FileAnswer> {
    return this.contents.patch({ pullRequest, userId: caller.id, signal });
  }
}
