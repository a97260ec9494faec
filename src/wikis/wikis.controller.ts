import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, Subject } from '../access/access';
import { AttachmentDto } from '../attachments/dto/attachment.dto';
import { Operation } from '../openapi/operation';
import { type Caller } from '../users/caller';
import { DEVELOPERS } from '../users/role-type';
import { AttachFilesToWikiDto } from './dto/attach-files-to-wiki.dto';
import { WikiResolver, type WikiSubject } from './wiki.resolver';
import { WikisService } from './wikis.service';

@ApiTags('Wikis')
@Controller('wikis')
export class WikisController {
  constructor(private readonly wikis: WikisService) {}

  @Post(':wikiId/attachments')
  @Operation({
    summary: 'Attach files to a wiki page',
    description: 'Answers with the files attached now, in the order asked for. Writes activity 6.',
    returns: [AttachmentDto],
  })
  @Access({ roles: DEVELOPERS, resource: WikiResolver })
  attachFilesToWiki(
    @Subject() wiki: WikiSubject,
    @CurrentCaller() caller: Caller,
    @Body() { attachmentId }: AttachFilesToWikiDto,
  ): Promise<AttachmentDto[]> {
    return this.wikis.attachFiles(wiki, caller, attachmentId);
  }
}
