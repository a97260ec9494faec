import { Body, Controller, Get, Patch, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Subject } from '../access/access';
import { CommentDto } from '../comments/dto/comment.dto';
import { IdPageQuery, type Page } from '../http/paging';
import { Operation } from '../openapi/operation';
import { DEVELOPERS } from '../users/role-type';
import { UpdatePullRequestCommentDto } from './dto/update-pull-request-comment.dto';
import { PullRequestCommentResolver, type PullRequestCommentSubject } from './pull-request-comment.resolver';
import { PullRequestResolver, type PullRequestSubject } from './pull-request.resolver';
import { PullRequestsService } from './pull-requests.service';

@ApiTags('Pull requests')
@Controller('projects/:projectIdOrKey/git/repositories/:repoIdOrName/pullRequests')
export class PullRequestsController {
  constructor(private readonly pullRequests: PullRequestsService) {}

  @Get(':number/comments')
  @Operation({
    summary: 'List the comments on a pull request',
    description: 'Newest first, unless `order` is `asc`.',
    returns: [CommentDto],
    example: { id: 2, content: 'Looks good to me.', changeLog: [], notifications: [] },
    paged: true,
  })
  @Access({ roles: DEVELOPERS, resource: PullRequestResolver })
  listPullRequestComments(
    @Subject() pullRequest: PullRequestSubject,
    @Query() query: IdPageQuery,
  ): Promise<Page<CommentDto>> {
    return this.pullRequests.listComments(pullRequest, query);
  }

  @Patch(':number/comments/:commentId')
  @Operation({
    summary: 'Update a pull request comment',
    description: 'Changes the text of a comment. Only its author may. Emits no event.',
    returns: CommentDto,
    example: { id: 2, changeLog: [], notifications: [] },
    pathExamples: { commentId: 2 },
  })
  @Access({ roles: DEVELOPERS, resource: PullRequestCommentResolver, ownerOnly: true })
  updatePullRequestComment(
    @Subject() comment: PullRequestCommentSubject,
    @Body() { content }: UpdatePullRequestCommentDto,
  ): Promise<CommentDto> {
    return this.pullRequests.updateComment(comment, content);
  }
}
