import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access';
import { RoleType } from '../access/role-type';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { MailStatusDto } from './dto/mail-status.dto';
import { MailStatusService } from './mail-status.service';

@ApiTags('Space')
@Controller('space/mail')
export class SpaceMailController {
  constructor(private readonly status: MailStatusService) {}

  @Get()
  @Operation({
    summary: 'Get whether mail arrives',
    description: `The letters that wait, why the mail server fails, and the addresses that it refuses. Only Administrators may do this. ${NOT_OF_THE_FAMILY}`,
    returns: MailStatusDto,
  })
  @Access({ roles: [RoleType.Administrator], beyondProjects: true })
  getMailStatus(): Promise<MailStatusDto> {
    return this.status.get();
  }
}
