import { Controller, Delete, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, PathResource } from '../../access/access';
import { AttachedFileDto } from '../../attachments/dto/attached-file.dto';
import { type FileAnswer } from '../../http/response/file-answer';
import { Operation } from '../../openapi/operation';
import { type Caller } from '../../access/caller';
import { CONTRIBUTORS, DEVELOPERS, EVERYONE } from '../../access/role-type';
import { IssueAttachmentLoader, type IssueAttachmentResource } from './issue-attachment.loader';
import { IssueAttachmentsService } from './issue-attachments.service';
import { IssueLoader, type IssueResource } from '../issue.loader';

@ApiTags('Issues')
@Controller('issues/:issueIdOrKey/attachments')
export class IssueAttachmentsController {
  constructor(private readonly attachments: IssueAttachmentsService) {}

  @Get()
  @Operation({
    summary: 'List the files attached to an issue',
    description: 'Oldest first, including files added by comments.',
    returns: [AttachedFileDto],
  })
  @Access({ roles: EVERYONE, resource: IssueLoader })
  listIssueAttachments(@PathResource() issue: IssueResource): Promise<AttachedFileDto[]> {
    return this.attachments.list(issue);
  }

  @Get(':attachmentId')
  @Operation({ summary: 'Download a file attached to an issue', returns: 'file' })
  @Access({ roles: CONTRIBUTORS, resource: IssueAttachmentLoader })
  downloadIssueAttachment(@PathResource() attachment: IssueAttachmentResource): Promise<FileAnswer> {
    return this.attachments.download(attachment);
  }

  @Delete(':attachmentId')
  @Operation({
    summary: 'Delete a file attached to an issue',
    description: 'Records the deletion in the `changeLog` of a comment without text. Writes activity 2.',
    returns: AttachedFileDto,
  })
  @Access({ roles: DEVELOPERS, resource: IssueAttachmentLoader })
  deleteIssueAttachment(
    @PathResource() attachment: IssueAttachmentResource,
    @CurrentCaller() caller: Caller,
  ): Promise<AttachedFileDto> {
    return this.attachments.delete(attachment, caller);
  }
}
