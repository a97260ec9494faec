import { Controller, Delete, Get, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, CurrentCaller, PathResource } from '../access/access';
import { type AuditedCaller, type Caller } from '../access/caller';
import { DEVELOPERS } from '../access/role-type';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { type FileAnswer } from '../http/response/file-answer';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { type Page } from '../paging/page';
import { ProjectLoader } from '../projects/project.loader';
import { type VisibleProject } from '../projects/projects.service';
import { AddSharedFileQuery } from './dto/add-shared-file.dto';
import { ListSharedFilesQuery } from './dto/list-shared-files.dto';
import { SharedFileDto } from './dto/shared-file.dto';
import { SharedFileChangesService } from './shared-file-changes.service';
import {
  SharedFileLoader,
  type SharedFileResource,
  SharedFolderLoader,
  type SharedFolderResource,
} from './shared-file.loader';
import { SharedFilesService } from './shared-files.service';

@ApiTags('Shared files')
@Controller('projects/:projectIdOrKey/files')
export class SharedFilesController {
  constructor(
    private readonly files: SharedFilesService,
    private readonly changes: SharedFileChangesService,
  ) {}

  @Get('metadata/*path')
  @Operation({
    summary: 'List the contents of a folder',
    description: 'Files and folders, newest first unless `order` is `asc`.',
    returns: [SharedFileDto],
  })
  @Access({ roles: DEVELOPERS, resource: SharedFolderLoader })
  listSharedFiles(
    @PathResource() { id, folderId }: SharedFolderResource,
    @Query() query: ListSharedFilesQuery,
  ): Promise<Page<SharedFileDto>> {
    return this.files.list(id, folderId, query);
  }

  @Post()
  @Operation({
    summary: 'Upload a shared file',
    description: `Creates missing folders of \`path\`. If the folder already has a file of that name, adds a new version of it, which keeps its id and links. Writes activity 8 for a new file, 9 for a new version. ${NOT_OF_THE_FAMILY}`,
    returns: SharedFileDto,
    countLimit: ['sharedFile', 'folderEntry', 'unattachedFile'],
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({
    schema: {
      type: 'object',
      required: ['file'],
      properties: {
        path: {
          type: 'string',
          description: 'Path of the folder; the top folder if omitted.',
          example: 'guides',
        },
        file: { type: 'string', format: 'binary' },
      },
    },
  })
  @Access({ roles: DEVELOPERS, resource: ProjectLoader })
  addSharedFile(
    @Req() request: ReadRequest,
    @PathResource() { id }: VisibleProject,
    @CurrentCaller() caller: Caller,
    @Query() { path }: AddSharedFileQuery,
  ): Promise<SharedFileDto> {
    return this.changes.upload(request, id, caller, path);
  }

  @Get(':sharedFileId')
  @Operation({
    summary: 'Download a shared file',
    description: 'Returns the newest version.',
    returns: 'file',
    pathExamples: { sharedFileId: 2 },
  })
  @Access({ roles: DEVELOPERS, resource: SharedFileLoader })
  downloadSharedFile(@PathResource() { id }: SharedFileResource): Promise<FileAnswer> {
    return this.files.download(id);
  }

  @Delete(':sharedFileId')
  @Operation({
    summary: 'Delete a shared file',
    description: `Deletes a file with its links to issues and wiki pages, and writes activity 10; or deletes a folder, which must be empty. Returns the deleted file or folder. ${NOT_OF_THE_FAMILY}`,
    returns: SharedFileDto,
    pathExamples: { sharedFileId: 2 },
  })
  @Access({ roles: DEVELOPERS, resource: SharedFileLoader })
  deleteSharedFile(
    @PathResource() file: SharedFileResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
  ): Promise<SharedFileDto> {
    return this.changes.delete(file, caller);
  }
}
