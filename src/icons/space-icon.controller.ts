import { Controller, Delete, Get, Put, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../access/access';
import { type Caller } from '../access/caller';
import { EVERYONE, RoleType } from '../access/role-type';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { type FileAnswer } from '../http/response/file-answer';
import { CountsAs } from '../limits/rate-class';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { ICON_LIMITS, TakesIcon } from './icon-upload';
import { IconsService } from './icons.service';
import { SPACE_ID, SpaceIconSubject } from './subjects/space-icon.subject';

@ApiTags('Space')
@Controller('space/image')
export class SpaceIconController {
  constructor(
    private readonly icons: IconsService,
    private readonly subject: SpaceIconSubject,
  ) {}

  @Get()
  @Operation({
    summary: 'Get the icon of the space',
    description: 'Returns the uploaded icon, or a generated one.',
    returns: 'image',
  })
  @Access({ roles: EVERYONE })
  @CountsAs('icon')
  getSpaceIcon(): Promise<FileAnswer> {
    return this.icons.get(this.subject, SPACE_ID);
  }

  @Put()
  @Operation({
    summary: 'Upload the icon of the space',
    description: `Only Administrators may do this. ${ICON_LIMITS}`,
    returns: 'nothing',
    countLimit: 'unattachedFile',
  })
  @TakesIcon()
  @Access({ roles: [RoleType.Administrator] })
  updateSpaceIcon(@Req() request: ReadRequest, @CurrentCaller() caller: Caller): Promise<void> {
    return this.icons.update(request, caller, this.subject, SPACE_ID);
  }

  @Delete()
  @Operation({
    summary: 'Remove the uploaded icon of the space',
    description: `Restores the generated icon. Only Administrators may do this. ${NOT_OF_THE_FAMILY}`,
    returns: 'nothing',
  })
  @Access({ roles: [RoleType.Administrator] })
  deleteSpaceIcon(): Promise<void> {
    return this.icons.remove(this.subject, SPACE_ID);
  }
}
