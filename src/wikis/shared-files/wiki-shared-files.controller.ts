import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, PathResource } from '../../access/access';
import { type Caller } from '../../access/caller';
import { DEVELOPERS, EVERYONE } from '../../access/role-type';
import { Operation } from '../../openapi/operation';
import { LinkSharedFilesDto } from '../../shared-files/dto/link-shared-files.dto';
import { SharedFileDto } from '../../shared-files/dto/shared-file.dto';
import { WikiLoader, type WikiResource } from '../wiki.loader';
import { WikiSharedFileLoader, type WikiSharedFileResource } from './wiki-shared-file.loader';
import { WikiSharedFilesService } from './wiki-shared-files.service';

@ApiTags('Wikis')
@Controller('wikis/:wikiId/sharedFiles')
export class WikiSharedFilesController {
  constructor(private readonly files: WikiSharedFilesService) {}

  @Get()
  @Operation({
    summary: 'List the shared files linked to a wiki page',
    description: 'Ordered by id.',
    returns: [SharedFileDto],
  })
  @Access({ roles: EVERYONE, resource: WikiLoader })
  listWikiSharedFiles(@PathResource() wiki: WikiResource): Promise<SharedFileDto[]> {
    return this.files.list(wiki);
  }

  @Post()
  @Operation({
    summary: 'Link shared files to a wiki page',
    description:
      'Returns these files in the requested order. Files that are already linked remain linked. Writes activity 6 for the others.',
    returns: [SharedFileDto],
    countLimit: ['linkedFile', 'fileLink'],
  })
  @Access({ roles: DEVELOPERS, resource: WikiLoader })
  linkWikiSharedFiles(
    @PathResource() wiki: WikiResource,
    @CurrentCaller() caller: Caller,
    @Body() { fileId }: LinkSharedFilesDto,
  ): Promise<SharedFileDto[]> {
    return this.files.link(wiki, caller, fileId);
  }

  @Delete(':sharedFileId')
  @Operation({
    summary: 'Unlink a shared file from a wiki page',
    description: 'Returns the file, which is not deleted. Creates no new version of the page.',
    returns: SharedFileDto,
    pathExamples: { sharedFileId: 2 },
  })
  @Access({ roles: DEVELOPERS, resource: WikiSharedFileLoader })
  unlinkWikiSharedFile(@PathResource() file: WikiSharedFileResource): Promise<SharedFileDto> {
    return this.files.unlink(file);
  }
}
