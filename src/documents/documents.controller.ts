import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  Access,
  type AuthorizedSearcher,
  CurrentAuditedCaller,
  CurrentCaller,
  CurrentSearcher,
  PathResource,
} from '../access/access';
import { type AuditedCaller, type Caller } from '../access/caller';
import { DEVELOPERS, EVERYONE, RoleType } from '../access/role-type';
import { CountDto } from '../http/response/count.dto';
import { Created } from '../http/response/created';
import { CountsAs } from '../limits/rate-class';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { type Page } from '../paging/page';
import { ProjectQuery } from '../projects/dto/project-query.dto';
import { ProjectLoader } from '../projects/project.loader';
import { type VisibleProject } from '../projects/projects.service';
import { DocumentListsService } from './document-lists.service';
import { DocumentLoader } from './document.loader';
import { type DocumentResource } from './document-resource';
import { DocumentsService } from './documents.service';
import { AddDocumentDto } from './dto/add-document.dto';
import { ListDocumentsQuery } from './dto/document-queries.dto';
import { DocumentTagDto, DocumentTagNamesDto } from './dto/document-tags.dto';
import { DocumentTreeDto } from './dto/document-tree.dto';
import { DocumentDto } from './dto/document.dto';
import { UpdateDocumentDto } from './dto/update-document.dto';
import { DocumentTagsService } from './tags/document-tags.service';

const READ_PROJECT = {
  roles: EVERYONE,
  resource: ProjectLoader,
  fromQuery: ['projectIdOrKey'],
} as const;
const CHANGE_DOCUMENT = { roles: DEVELOPERS, resource: DocumentLoader } as const;

@ApiTags('Documents')
@Controller('documents')
export class DocumentsController {
  constructor(
    private readonly documents: DocumentsService,
    private readonly lists: DocumentListsService,
    private readonly tags: DocumentTagsService,
  ) {}

  @Get()
  @Operation({
    summary: 'List documents',
    description:
      'Documents of the given projects, or of all projects that the caller may see. Excludes documents in the trash.',
    returns: [DocumentDto],
  })
  @Access({ roles: EVERYONE })
  @CountsAs('search')
  listDocuments(
    @CurrentCaller() caller: Caller,
    @Query() query: ListDocumentsQuery,
    @CurrentSearcher() searcher: AuthorizedSearcher,
  ): Promise<Page<DocumentDto>> {
    return this.lists.list(caller, query, searcher);
  }

  @Get('count')
  @Operation({
    summary: 'Count the documents of a project',
    description: 'Excludes documents in the trash.',
    returns: CountDto,
  })
  @Access(READ_PROJECT)
  @CountsAs('search')
  countDocuments(@Query() _query: ProjectQuery, @PathResource() project: VisibleProject): Promise<CountDto> {
    return this.lists.count(project.id);
  }

  @Get('tree')
  @Operation({
    summary: 'Get the tree of the documents of a project',
    description: 'All documents, including those in the trash, without their content.',
    returns: DocumentTreeDto,
  })
  @Access(READ_PROJECT)
  getDocumentTree(
    @Query() _query: ProjectQuery,
    @PathResource() project: VisibleProject,
  ): Promise<DocumentTreeDto> {
    return this.lists.tree(project.id);
  }

  @Post()
  @Operation({
    summary: 'Add a document',
    description: 'Notifies the users mentioned in the content. Writes activity 36.',
    returns: DocumentDto,
    creates: 'located',
    countLimit: 'document',
  })
  @Access({ roles: DEVELOPERS })
  async addDocument(
    @CurrentCaller() caller: Caller,
    @Body() body: AddDocumentDto,
  ): Promise<Created<DocumentDto>> {
    const { document, path } = await this.documents.create(caller, body);
    return new Created(document, path);
  }

  @Get(':documentId')
  @Operation({ summary: 'Get a document', returns: DocumentDto })
  @Access({ roles: EVERYONE, resource: DocumentLoader })
  getDocument(@PathResource() document: DocumentResource): Promise<DocumentDto> {
    return this.documents.get(document);
  }

  @Patch(':documentId')
  @Operation({
    summary: 'Update a document',
    description: `With \`parentId\`, moves the document with its descendants, which also restores a document from the trash. Notifies newly mentioned users. Writes activity 38 for a new title, 39 for other changes. ${NOT_OF_THE_FAMILY}`,
    returns: DocumentDto,
  })
  @Access(CHANGE_DOCUMENT)
  updateDocument(
    @PathResource() document: DocumentResource,
    @CurrentCaller() caller: Caller,
    @Body() body: UpdateDocumentDto,
  ): Promise<DocumentDto> {
    return this.documents.update(document, caller, body);
  }

  @Delete(':documentId')
  @Operation({
    summary: 'Delete a document',
    description:
      'Moves the document with its descendants to the trash, where it is kept for 30 days. A document that is already in the trash is deleted permanently. Moving to the trash writes activity 37. Only Administrators and administrators of the project may do this.',
    returns: DocumentDto,
  })
  @Access({ roles: [RoleType.Administrator], resource: DocumentLoader, orProjectAdministrator: true })
  deleteDocument(
    @PathResource() document: DocumentResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
  ): Promise<DocumentDto> {
    return this.documents.delete(document, caller);
  }

  @Post(':documentId/tags')
  @Operation({
    summary: 'Add tags to a document',
    description: 'Returns all tags of the document, ordered by name. Emits no event.',
    returns: [DocumentTagDto],
    countLimit: 'documentTag',
  })
  @Access(CHANGE_DOCUMENT)
  addDocumentTags(
    @PathResource() document: DocumentResource,
    @Body() { tagNames }: DocumentTagNamesDto,
  ): Promise<DocumentTagDto[]> {
    return this.tags.add(document, tagNames);
  }

  @Delete(':documentId/tags')
  @Operation({
    summary: 'Remove tags from a document',
    description: 'Returns the remaining tags, ordered by name. Emits no event.',
    returns: [DocumentTagDto],
  })
  @Access(CHANGE_DOCUMENT)
  deleteDocumentTags(
    @PathResource() document: DocumentResource,
    @Body() { tagNames }: DocumentTagNamesDto,
  ): Promise<DocumentTagDto[]> {
    return this.tags.remove(document, tagNames);
  }
}
