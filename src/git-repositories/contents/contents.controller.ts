import { Controller, createParamDecorator, type ExecutionContext, Get, Query } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import { type Request } from 'express';
import { Access, CurrentCaller, PathResource } from '../../access/access';
import { type Caller } from '../../access/caller';
import { DEVELOPERS } from '../../access/role-type';
import { type FileAnswer } from '../../http/response/file-answer';
import { ClientSignal } from '../../http/server/client-signal';
import { Operation } from '../../openapi/operation';
import { type Page } from '../../paging/page';
import { GitRepositoryLoader, type GitRepositoryResource } from '../git-repository.loader';
import { CommitsService } from './commits.service';
import { ComparisonService } from './comparison.service';
import { CommitDto, CommitWithFilesDto } from './dto/commit.dto';
import { ComparisonDto } from './dto/comparison.dto';
import {
  CompareQuery,
  GitFileQuery,
  ListCommitsQuery,
  ListContentsQuery,
  ListTreeQuery,
} from './dto/contents-queries.dto';
import { TreeEntryDto } from './dto/tree-entry.dto';
import { NOT_OF_THE_FAMILY } from '../../openapi/not-of-the-family';
import { TreeService } from './tree.service';

/** Handler parameter: the commit hash in the path. */
const CommitHash = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { hash } = context.switchToHttp().getRequest<Request>().params;
  return String(hash);
});

@ApiTags('Git repositories')
@Controller('projects/:projectIdOrKey/git/repositories/:repoIdOrName')
export class ContentsController {
  constructor(
    private readonly commits: CommitsService,
    private readonly comparison: ComparisonService,
    private readonly tree: TreeService,
  ) {}

  @Get('commits')
  @Operation({
    summary: 'List the commits of a git repository',
    description: `Commits contained in a branch, a tag or a commit, newest first. ${NOT_OF_THE_FAMILY}`,
    returns: [CommitDto],
  })
  @Access({ roles: DEVELOPERS, resource: GitRepositoryLoader })
  listCommits(
    @PathResource() { id }: GitRepositoryResource,
    @CurrentCaller() caller: Caller,
    @ClientSignal() signal: AbortSignal,
    @Query() query: ListCommitsQuery,
  ): Promise<Page<CommitDto>> {
    return this.commits.list({ repositoryId: id, userId: caller.id, signal }, query);
  }

  @Get('commits/:hash')
  @Operation({
    summary: 'Get a commit of a git repository',
    description: `Includes the files changed compared with the first parent, paged by \`count\` and \`offset\`. ${NOT_OF_THE_FAMILY}`,
    returns: CommitWithFilesDto,
  })
  @Access({ roles: DEVELOPERS, resource: GitRepositoryLoader })
  getCommit(
    @PathResource() { id }: GitRepositoryResource,
    @CurrentCaller() caller: Caller,
    @ClientSignal() signal: AbortSignal,
    @CommitHash() hash: string,
    @Query() query: ListContentsQuery,
  ): Promise<CommitWithFilesDto> {
    return this.commits.get({ repositoryId: id, userId: caller.id, signal }, hash, query);
  }

  @Get('tree')
  @Operation({
    summary: 'List the contents of a folder of a git repository',
    description: `In the order of git. ${NOT_OF_THE_FAMILY}`,
    returns: [TreeEntryDto],
  })
  @Access({ roles: DEVELOPERS, resource: GitRepositoryLoader })
  listTree(
    @PathResource() { id }: GitRepositoryResource,
    @CurrentCaller() caller: Caller,
    @ClientSignal() signal: AbortSignal,
    @Query() query: ListTreeQuery,
  ): Promise<Page<TreeEntryDto>> {
    return this.tree.list({ repositoryId: id, userId: caller.id, signal }, query);
  }

  @Get('files')
  @Operation({
    summary: 'Download a file of a git repository',
    description: `At most 100 MiB. Text is sent as \`text/plain\`, with its \`charset\` if that is known, images with their own type, and everything else as \`application/octet-stream\`. The content of a symbolic link is the path that it points to. \`ETag\` is the hash of the content, for \`If-None-Match\`. ${NOT_OF_THE_FAMILY}`,
    returns: 'file',
  })
  @ApiResponse({ status: 304, description: '`If-None-Match` contains the hash of the content.' })
  @Access({ roles: DEVELOPERS, resource: GitRepositoryLoader })
  downloadGitFile(
    @PathResource() { id }: GitRepositoryResource,
    @CurrentCaller() caller: Caller,
    @ClientSignal() signal: AbortSignal,
    @Query() query: GitFileQuery,
  ): Promise<FileAnswer> {
    return this.tree.download({ repositoryId: id, userId: caller.id, signal }, query);
  }

  @Get('compare')
  @Operation({
    summary: 'Compare two commits of a git repository',
    description: `Returns the commits that are in \`head\` but not in \`base\`, and the files changed in \`head\` since the merge base. \`count\` applies to commits and files, \`offset\` to commits, \`fileOffset\` to files. ${NOT_OF_THE_FAMILY}`,
    returns: ComparisonDto,
  })
  @Access({ roles: DEVELOPERS, resource: GitRepositoryLoader })
  compareCommits(
    @PathResource() { id }: GitRepositoryResource,
    @CurrentCaller() caller: Caller,
    @ClientSignal() signal: AbortSignal,
    @Query() query: CompareQuery,
  ): Promise<ComparisonDto> {
    return this.comparison.compare({ repositoryId: id, userId: caller.id, signal }, query);
  }
}
