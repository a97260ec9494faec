import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, PathResource } from '../../access/access';
import { type Caller } from '../../access/caller';
import { DEVELOPERS, EVERYONE } from '../../access/role-type';
import { Operation } from '../../openapi/operation';
import { LinkSharedFilesDto } from '../../shared-files/dto/link-shared-files.dto';
import { SharedFileDto } from '../../shared-files/dto/shared-file.dto';
import { IssueLoader, type IssueResource } from '../issue.loader';
import { IssueSharedFileLoader, type IssueSharedFileResource } from './issue-shared-file.loader';
import { IssueSharedFilesService } from './issue-shared-files.service';

@ApiTags('Issues')
@Controller('issues/:issueIdOrKey/sharedFiles')
export class IssueSharedFilesController {
  constructor(private readonly files: IssueSharedFilesService) {}

  @Get()
  @Operation({
    summary: 'List the shared files linked to an issue',
    description: 'Ordered by id.',
    returns: [SharedFileDto],
  })
  @Access({ roles: EVERYONE, resource: IssueLoader })
  listIssueSharedFiles(@PathResource() issue: IssueResource): Promise<SharedFileDto[]> {
    return this.files.list(issue);
  }

  @Post()
  @Operation({
    summary: 'Link shared files to an issue',
    description:
      'Returns these files in the requested order. Files that are already linked remain linked; the others are recorded in the `changeLog` of a comment without text. Writes activity 2.',
    returns: [SharedFileDto],
    countLimit: ['linkedFile', 'fileLink'],
  })
  @Access({ roles: DEVELOPERS, resource: IssueLoader })
  linkIssueSharedFiles(
    @PathResource() issue: IssueResource,
    @CurrentCaller() caller: Caller,
    @Body() { fileId }: LinkSharedFilesDto,
  ): Promise<SharedFileDto[]> {
    return this.files.link(issue, caller, fileId);
  }

  @Delete(':sharedFileId')
  @Operation({
    summary: 'Unlink a shared file from an issue',
    description:
      'Returns the file, which is not deleted. Records the removal in the `changeLog` of a comment without text. Writes activity 2.',
    returns: SharedFileDto,
    pathExamples: { sharedFileId: 2 },
  })
  @Access({ roles: DEVELOPERS, resource: IssueSharedFileLoader })
  unlinkIssueSharedFile(
    @PathResource() file: IssueSharedFileResource,
    @CurrentCaller() caller: Caller,
  ): Promise<SharedFileDto> {
    return this.files.unlink(file, caller);
  }
}
