import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, CurrentRequester, PathResource } from '../../access/access';
import { CommentDto } from '../../comments/dto/comment.dto';
import { type Requester } from '../../event-loop/user-turns';
import { CountDto } from '../../http/response/count.dto';
import { IdPageQuery } from '../../http/request/page-query';
import { type Page } from '../../paging/page';
import { Operation } from '../../openapi/operation';
import { type Caller } from '../../access/caller';
import { DEVELOPERS } from '../../access/role-type';
import { AddPullRequestCommentDto } from '../dto/add-pull-request-comment.dto';
import { UpdatePullRequestCommentDto } from '../dto/update-pull-request-comment.dto';
import { PullRequestCommentLoader, type PullRequestCommentResource } from './pull-request-comment.loader';
import { PullRequestCommentsService } from './pull-request-comments.service';
import { PullRequestLoader, type PullRequestResource } from '../pull-request.loader';

/** The demo project's comment on its pull request. */
const EXAMPLE = { id: 2, content: 'Looks good to me.', changeLog: [], notifications: [] };

@ApiTags('Pull requests')
@Controller('projects/:projectIdOrKey/git/repositories/:repoIdOrName/pullRequests/:number/comments')
export class PullRequestCommentsController {
  constructor(private readonly comments: PullRequestCommentsService) {}

  @Get()
  @Operation({
    summary: 'List the comments on a pull request',
    description: 'Newest first unless `order` is `asc`.',
    returns: [CommentDto],
    example: EXAMPLE,
  })
  @Access({ roles: DEVELOPERS, resource: PullRequestLoader })
  listPullRequestComments(
    @PathResource() pullRequest: PullRequestResource,
    @Query() query: IdPageQuery,
    @CurrentRequester() requester: Requester,
  ): Promise<Page<CommentDto>> {
    return this.comments.list(pullRequest, query, requester);
  }

  @Post()
  @Operation({
    summary: 'Add a comment to a pull request',
    description:
      'Notifies the named users and attaches the given uploads to the pull request. Writes activity 20.',
    returns: CommentDto,
    example: { notifications: [] },
    countLimit: 'attachedFile',
  })
  @Access({ roles: DEVELOPERS, resource: PullRequestLoader })
  addPullRequestComment(
    @PathResource() pullRequest: PullRequestResource,
    @CurrentCaller() caller: Caller,
    @Body() body: AddPullRequestCommentDto,
  ): Promise<CommentDto> {
    return this.comments.add(pullRequest, caller, body);
  }

  @Get('count')
  @Operation({ summary: 'Count the comments on a pull request', returns: CountDto })
  @Access({ roles: DEVELOPERS, resource: PullRequestLoader })
  countPullRequestComments(@PathResource() pullRequest: PullRequestResource): Promise<CountDto> {
    return this.comments.count(pullRequest);
  }

  @Patch(':commentId')
  @Operation({
    summary: 'Update a pull request comment',
    description:
      'Changes the text of a comment, and notifies the named users who have not yet been notified of it. Only the author may do this. Emits no event.',
    returns: CommentDto,
    example: { id: 2, changeLog: [], notifications: [] },
    pathExamples: { commentId: 2 },
  })
  @Access({ roles: DEVELOPERS, resource: PullRequestCommentLoader, ownerOnly: true })
  updatePullRequestComment(
    @PathResource() comment: PullRequestCommentResource,
    @CurrentCaller() caller: Caller,
    @Body() body: UpdatePullRequestCommentDto,
    @CurrentRequester() requester: Requester,
  ): Promise<CommentDto> {
    return this.comments.update(comment, caller, body, requester);
  }
}
