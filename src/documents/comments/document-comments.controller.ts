import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, CurrentRequester, PathResource } from '../../access/access';
import { type Caller } from '../../access/caller';
import { DEVELOPERS, RoleType } from '../../access/role-type';
import { type Requester } from '../../event-loop/user-turns';
import { NOT_OF_THE_FAMILY } from '../../openapi/not-of-the-family';
import { Operation } from '../../openapi/operation';
import { DocumentLoader } from '../document.loader';
import { type DocumentResource } from '../document-resource';
import {
  AddDocumentCommentDto,
  DocumentCommentDto,
  UpdateDocumentCommentDto,
} from '../dto/document-comment.dto';
import { DocumentCommentLoader, type DocumentCommentResource } from './document-comment.loader';
import { DocumentCommentsService } from './document-comments.service';

@ApiTags('Documents')
@Controller('documents/:documentId/comments')
export class DocumentCommentsController {
  constructor(private readonly comments: DocumentCommentsService) {}

  @Get()
  @Operation({
    summary: 'List the comments on a document',
    description: 'All comments with their replies, oldest first.',
    returns: [DocumentCommentDto],
  })
  @Access({ roles: DEVELOPERS, resource: DocumentLoader })
  listDocumentComments(
    @PathResource() document: DocumentResource,
    @CurrentRequester() requester: Requester,
  ): Promise<DocumentCommentDto[]> {
    return this.comments.list(document, requester);
  }

  @Post()
  @Operation({
    summary: 'Add a comment to a document',
    description: `Notifies the named and mentioned users and, for a reply, the author of the parent comment. Returns the comment, or the parent comment for a reply. Writes activity 40, or 43 for a reply. ${NOT_OF_THE_FAMILY}`,
    returns: DocumentCommentDto,
    creates: true,
    countLimit: 'documentComment',
  })
  @Access({ roles: DEVELOPERS, resource: DocumentLoader })
  addDocumentComment(
    @PathResource() document: DocumentResource,
    @CurrentCaller() caller: Caller,
    @Body() body: AddDocumentCommentDto,
    @CurrentRequester() requester: Requester,
  ): Promise<DocumentCommentDto> {
    return this.comments.add(document, caller, body, requester);
  }

  @Patch(':documentCommentId')
  @Operation({
    summary: 'Update a comment on a document',
    description: `Only the author may do this. Returns the comment, or the parent comment for a reply. Writes activity 41, or 44 for a reply. ${NOT_OF_THE_FAMILY}`,
    returns: DocumentCommentDto,
  })
  @Access({ roles: DEVELOPERS, resource: DocumentCommentLoader, ownerOnly: true })
  updateDocumentComment(
    @PathResource() comment: DocumentCommentResource,
    @CurrentCaller() caller: Caller,
    @Body() { content }: UpdateDocumentCommentDto,
    @CurrentRequester() requester: Requester,
  ): Promise<DocumentCommentDto> {
    return this.comments.update(comment, caller, content, requester);
  }

  @Delete(':documentCommentId')
  @Operation({
    summary: 'Delete a comment on a document',
    description: `Only the author, Administrators and administrators of the project may do this. A comment with replies cannot be deleted. Returns the deleted comment, or the parent comment for a reply. Writes activity 42, or 45 for a reply. ${NOT_OF_THE_FAMILY}`,
    returns: DocumentCommentDto,
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: DocumentCommentLoader,
    orProjectAdministrator: true,
    orOwner: DEVELOPERS,
  })
  deleteDocumentComment(
    @PathResource() comment: DocumentCommentResource,
    @CurrentCaller() caller: Caller,
    @CurrentRequester() requester: Requester,
  ): Promise<DocumentCommentDto> {
    return this.comments.delete(comment, caller, requester);
  }
}
