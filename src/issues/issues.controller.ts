import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, Subject } from '../access/access';
import { CommentDto } from '../comments/dto/comment.dto';
import { Operation } from '../openapi/operation';
import { type Caller } from '../users/caller';
import { CONTRIBUTORS } from '../users/role-type';
import { AddIssueCommentNotificationsDto } from './dto/add-issue-comment-notifications.dto';
import { AddIssueCommentDto } from './dto/add-issue-comment.dto';
import { IssueCommentResolver, type IssueCommentSubject } from './issue-comment.resolver';
import { IssueResolver, type IssueSubject } from './issue.resolver';
import { IssuesService } from './issues.service';

@ApiTags('Issues')
@Controller('issues')
export class IssuesController {
  constructor(private readonly issues: IssuesService) {}

  @Post(':issueIdOrKey/comments')
  @Operation({
    summary: 'Add a comment to an issue',
    description: 'Notifies the users named and attaches the uploads named. Writes activity 3.',
    returns: CommentDto,
    creates: true,
  })
  @Access({ roles: CONTRIBUTORS, resource: IssueResolver })
  addIssueComment(
    @Subject() issue: IssueSubject,
    @CurrentCaller() caller: Caller,
    @Body() body: AddIssueCommentDto,
  ): Promise<CommentDto> {
    return this.issues.addComment(issue, caller, body);
  }

  @Post(':issueIdOrKey/comments/:commentId/notifications')
  @Operation({
    summary: 'Add notifications to an issue comment',
    description: 'Only the author of the comment may. Writes activity 17 if somebody is newly notified.',
    returns: CommentDto,
  })
  @Access({ roles: CONTRIBUTORS, resource: IssueCommentResolver, ownerOnly: true })
  addIssueCommentNotifications(
    @Subject() comment: IssueCommentSubject,
    @CurrentCaller() caller: Caller,
    @Body() { notifiedUserId }: AddIssueCommentNotificationsDto,
  ): Promise<CommentDto> {
    return this.issues.addCommentNotifications(comment, caller, notifiedUserId);
  }
}
