import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, PathResource } from '../../access/access';
import { type Caller } from '../../access/caller';
import { DEVELOPERS, EVERYONE } from '../../access/role-type';
import { AttachedFileDto } from '../../attachments/dto/attached-file.dto';
import { AttachmentDto } from '../../attachments/dto/attachment.dto';
import { type FileAnswer } from '../../http/response/file-answer';
import { NOT_OF_THE_FAMILY } from '../../openapi/not-of-the-family';
import { Operation } from '../../openapi/operation';
import { DocumentLoader } from '../document.loader';
import { type DocumentResource } from '../document-resource';
import { AttachFilesToDocumentDto } from '../dto/attach-files-to-document.dto';
import { DocumentAttachmentLoader, type DocumentAttachmentResource } from './document-attachment.loader';
import { DocumentAttachmentsService } from './document-attachments.service';

/** The file attached to the demo project's document. */
const FILE = { attachmentId: 4 } as const;

@ApiTags('Documents')
@Controller('documents/:documentId/attachments')
export class DocumentAttachmentsController {
  constructor(private readonly attachments: DocumentAttachmentsService) {}

  @Post()
  @Operation({
    summary: 'Attach files to a document',
    description: `Returns the files attached by this request, in the requested order. Writes activity 46. ${NOT_OF_THE_FAMILY}`,
    returns: [AttachmentDto],
    countLimit: 'attachedFile',
  })
  @Access({ roles: DEVELOPERS, resource: DocumentLoader })
  attachFilesToDocument(
    @PathResource() document: DocumentResource,
    @CurrentCaller() caller: Caller,
    @Body() { attachmentId }: AttachFilesToDocumentDto,
  ): Promise<AttachmentDto[]> {
    return this.attachments.attach(document, caller, attachmentId);
  }

  @Get(':attachmentId')
  @Operation({ summary: 'Download a file of a document', returns: 'file', pathExamples: FILE })
  @Access({ roles: EVERYONE, resource: DocumentAttachmentLoader })
  downloadDocumentAttachment(@PathResource() attachment: DocumentAttachmentResource): Promise<FileAnswer> {
    return this.attachments.download(attachment);
  }

  @Delete(':attachmentId')
  @Operation({
    summary: 'Remove a file from a document',
    description: `Returns the removed file. Emits no event. ${NOT_OF_THE_FAMILY}`,
    returns: AttachedFileDto,
    pathExamples: FILE,
  })
  @Access({ roles: DEVELOPERS, resource: DocumentAttachmentLoader })
  deleteDocumentAttachment(@PathResource() attachment: DocumentAttachmentResource): Promise<AttachedFileDto> {
    return this.attachments.remove(attachment);
  }
}
