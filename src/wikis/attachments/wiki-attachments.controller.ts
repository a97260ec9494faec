import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, PathResource } from '../../access/access';
import { AttachedFileDto } from '../../attachments/dto/attached-file.dto';
import { AttachmentDto } from '../../attachments/dto/attachment.dto';
import { type FileAnswer } from '../../http/response/file-answer';
import { Operation } from '../../openapi/operation';
import { type Caller } from '../../access/caller';
import { DEVELOPERS, EVERYONE } from '../../access/role-type';
import { AttachFilesToWikiDto } from '../dto/attach-files-to-wiki.dto';
import { WikiAttachmentLoader, type WikiAttachmentResource } from './wiki-attachment.loader';
import { WikiAttachmentsService } from './wiki-attachments.service';
import { WikiLoader, type WikiResource } from '../wiki.loader';

@ApiTags('Wikis')
@Controller('wikis/:wikiId/attachments')
export class WikiAttachmentsController {
  constructor(private readonly attachments: WikiAttachmentsService) {}

  @Get()
  @Operation({
    summary: 'List the files of a wiki page',
    description: 'Oldest first.',
    returns: [AttachedFileDto],
  })
  @Access({ roles: EVERYONE, resource: WikiLoader })
  listWikiAttachments(@PathResource() wiki: WikiResource): Promise<AttachedFileDto[]> {
    return this.attachments.list(wiki);
  }

  @Post()
  @Operation({
    summary: 'Attach files to a wiki page',
    description: 'Returns the files attached by this request, in the requested order. Writes activity 6.',
    returns: [AttachmentDto],
    countLimit: 'attachedFile',
  })
  @Access({ roles: DEVELOPERS, resource: WikiLoader })
  attachFilesToWiki(
    @PathResource() wiki: WikiResource,
    @CurrentCaller() caller: Caller,
    @Body() { attachmentId }: AttachFilesToWikiDto,
  ): Promise<AttachmentDto[]> {
    return this.attachments.attach(wiki, caller, attachmentId);
  }

  @Get(':attachmentId')
  @Operation({
    summary: 'Download a file of a wiki page',
    returns: 'file',
    pathExamples: { attachmentId: 3 },
  })
  @Access({ roles: EVERYONE, resource: WikiAttachmentLoader })
  downloadWikiAttachment(@PathResource() attachment: WikiAttachmentResource): Promise<FileAnswer> {
    return this.attachments.download(attachment);
  }

  @Delete(':attachmentId')
  @Operation({
    summary: 'Remove a file from a wiki page',
    description: 'Returns the removed file. Creates no new version of the page.',
    returns: AttachedFileDto,
    pathExamples: { attachmentId: 3 },
  })
  @Access({ roles: DEVELOPERS, resource: WikiAttachmentLoader })
  deleteWikiAttachment(@PathResource() attachment: WikiAttachmentResource): Promise<AttachedFileDto> {
    return this.attachments.remove(attachment);
  }
}
