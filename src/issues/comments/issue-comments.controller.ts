import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, CurrentRequester, PathResource } from '../../access/access';
import { CommentDto } from '../../comments/dto/comment.dto';
import { type Requester } from '../../event-loop/user-turns';
import { Created } from '../../http/response/created';
import { CountDto } from '../../http/response/count.dto';
import { NotificationDto } from '../../notifications/dto/notification.dto';
import { type Page } from '../../paging/page';
import { selectFields } from '../../http/request/selected-fields';
import { Operation } from '../../openapi/operation';
import { type Caller } from '../../access/caller';
import { CONTRIBUTORS, EVERYONE, RoleType } from '../../access/role-type';
import { AddIssueCommentNotificationsDto } from '../dto/add-issue-comment-notifications.dto';
import { AddIssueCommentDto } from '../dto/add-issue-comment.dto';
import { ListIssueCommentsQuery } from '../dto/issue-comment-queries.dto';
import { IssueCommentDto } from '../dto/issue-comment.dto';
import { UpdateIssueCommentDto } from '../dto/update-issue-comment.dto';
import { IssueCommentLoader, type IssueCommentResource } from './issue-comment.loader';
import { issuePath, toIssueKey } from '../issue.mapper';
import { IssueCommentsService } from './issue-comments.service';
import {
  DescribedIssueLoader,
  type DescribedIssueResource,
  IssueLoader,
  type IssueResource,
} from '../issue.loader';

@ApiTags('Issues')
@Controller('issues/:issueIdOrKey/comments')
export class IssueCommentsController {
  constructor(private readonly comments: IssueCommentsService) {}

  @Get()
  @Operation({
    summary: 'List the comments on an issue',
    description: 'Newest first unless `order` is `asc`.',
    returns: [IssueCommentDto],
  })
  @Access({ roles: EVERYONE, resource: IssueLoader })
  async listIssueComments(
    @PathResource() issue: IssueResource,
    @Query() query: ListIssueCommentsQuery,
    @CurrentRequester() requester: Requester,
  ): Promise<Page<IssueCommentDto>> {
    return selectFields(await this.comments.list(issue, query, requester), query.fields);
  }

  @Post()
  @Operation({
    summary: 'Add a comment to an issue',
    description: 'Notifies the named and mentioned users, and attaches the given uploads. Writes activity 3.',
    returns: CommentDto,
    creates: 'located',
    countLimit: 'attachedFile',
  })
  @Access({ roles: CONTRIBUTORS, resource: DescribedIssueLoader })
  async addIssueComment(
    @PathResource() issue: DescribedIssueResource,
    @CurrentCaller() caller: Caller,
    @Body() body: AddIssueCommentDto,
  ): Promise<Created<CommentDto>> {
    const comment = await this.comments.add(issue, caller, body);
    return new Created(comment, `${issuePath(toIssueKey(issue))}#comment-${comment.id}`);
  }

  @Get('count')
  @Operation({ summary: 'Count the comments on an issue', returns: CountDto })
  @Access({ roles: EVERYONE, resource: IssueLoader })
  countIssueComments(@PathResource() issue: IssueResource): Promise<CountDto> {
    return this.comments.count(issue);
  }

  @Get(':commentId')
  @Operation({ summary: 'Get an issue comment', returns: IssueCommentDto })
  @Access({ roles: EVERYONE, resource: IssueCommentLoader })
  getIssueComment(
    @PathResource() comment: IssueCommentResource,
    @CurrentRequester() requester: Requester,
  ): Promise<IssueCommentDto> {
    return this.comments.get(comment, requester);
  }

  @Patch(':commentId')
  @Operation({
    summary: 'Update an issue comment',
    description: 'Changes the text of a comment. Only the author may do this. Emits no event.',
    returns: IssueCommentDto,
  })
  @Access({ roles: CONTRIBUTORS, resource: IssueCommentLoader, ownerOnly: true })
  updateIssueComment(
    @PathResource() comment: IssueCommentResource,
    @CurrentCaller() caller: Caller,
    @Body() { content }: UpdateIssueCommentDto,
    @CurrentRequester() requester: Requester,
  ): Promise<IssueCommentDto> {
    return this.comments.update(comment, caller, content, requester);
  }

  @Delete(':commentId')
  @Operation({
    summary: 'Delete an issue comment',
    description:
      'Only the author, Administrators and administrators of the project may do this. The files of the comment remain attached to the issue. Emits no event.',
    returns: IssueCommentDto,
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: IssueCommentLoader,
    orProjectAdministrator: true,
    orOwner: CONTRIBUTORS,
  })
  deleteIssueComment(@PathResource() comment: IssueCommentResource): Promise<IssueCommentDto> {
    return this.comments.delete(comment);
  }

  @Get(':commentId/notifications')
  @Operation({
    summary: 'List the notifications of an issue comment',
    description: 'The users notified of the comment, oldest first.',
    returns: [NotificationDto],
  })
  @Access({ roles: EVERYONE, resource: IssueCommentLoader })
  listIssueCommentNotifications(@PathResource() comment: IssueCommentResource): Promise<NotificationDto[]> {
    return this.comments.listNotifications(comment);
  }

  @Post(':commentId/notifications')
  @Operation({
    summary: 'Add notifications to an issue comment',
    description:
      'Only the author of the comment may do this. Writes activity 17 if any user is newly notified.',
    returns: CommentDto,
  })
  @Access({ roles: CONTRIBUTORS, resource: IssueCommentLoader, ownerOnly: true })
  addIssueCommentNotifications(
    @PathResource() comment: IssueCommentResource,
    @CurrentCaller() caller: Caller,
    @Body() { notifiedUserId }: AddIssueCommentNotificationsDto,
    @CurrentRequester() requester: Requester,
  ): Promise<CommentDto> {
    return this.comments.addNotifications(comment, caller, notifiedUserId, requester);
  }
}
