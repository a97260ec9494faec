import { Controller, Delete, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, PathResource } from '../../access/access';
import { AttachedFileDto } from '../../attachments/dto/attached-file.dto';
import { type FileAnswer } from '../../http/response/file-answer';
import { Operation } from '../../openapi/operation';
import { DEVELOPERS } from '../../access/role-type';
import {
  PullRequestAttachmentLoader,
  type PullRequestAttachmentResource,
} from './pull-request-attachment.loader';
import { PullRequestAttachmentsService } from './pull-request-attachments.service';
import { PullRequestLoader, type PullRequestResource } from '../pull-request.loader';

@ApiTags('Pull requests')
@Controller('projects/:projectIdOrKey/git/repositories/:repoIdOrName/pullRequests/:number/attachments')
export class PullRequestAttachmentsController {
  constructor(private readonly attachments: PullRequestAttachmentsService) {}

  @Get()
  @Operation({
    summary: 'List the files of a pull request',
    description: 'Files added to the pull request directly or by its comments, oldest first.',
    returns: [AttachedFileDto],
  })
  @Access({ roles: DEVELOPERS, resource: PullRequestLoader })
  listPullRequestAttachments(@PathResource() pullRequest: PullRequestResource): Promise<AttachedFileDto[]> {
    return this.attachments.list(pullRequest);
  }

  @Get(':attachmentId')
  @Operation({
    summary: 'Download a file of a pull request',
    returns: 'file',
    pathExamples: { attachmentId: 2 },
  })
  @Access({ roles: DEVELOPERS, resource: PullRequestAttachmentLoader })
  downloadPullRequestAttachment(
    @PathResource() attachment: PullRequestAttachmentResource,
  ): Promise<FileAnswer> {
    return this.attachments.download(attachment);
  }

  @Delete(':attachmentId')
  @Operation({
    summary: 'Delete a file of a pull request',
    description: 'Emits no event.',
    returns: AttachedFileDto,
    pathExamples: { attachmentId: 2 },
  })
  @Access({ roles: DEVELOPERS, resource: PullRequestAttachmentLoader })
  deletePullRequestAttachment(
    @PathResource() attachment: PullRequestAttachmentResource,
  ): Promise<AttachedFileDto> {
    return this.attachments.remove(attachment);
  }
}
