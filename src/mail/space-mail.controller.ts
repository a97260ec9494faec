import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../access/access';
import { type Caller } from '../access/caller';
import { RoleType } from '../access/role-type';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { MailStatusDto } from './dto/mail-status.dto';
import { MailTestDto } from './dto/mail-test.dto';
import { MailStatusService } from './mail-status.service';
import { TestLettersService } from './sending/test-letters.service';

@ApiTags('Space')
@Controller('space/mail')
export class SpaceMailController {
  constructor(
    private readonly status: MailStatusService,
    private readonly tests: TestLettersService,
  ) {}

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

  @Post('test')
  @Operation({
    summary: 'Send oneself a test letter',
    description: `Sent at once, also while sending is paused. The answer says whether the mail server has taken it. Only Administrators may do this. ${NOT_OF_THE_FAMILY}`,
    returns: MailTestDto,
  })
  @Access({ roles: [RoleType.Administrator], beyondProjects: true })
  sendTestLetter(@CurrentCaller() caller: Caller): Promise<MailTestDto> {
    return this.tests.send(caller.id);
  }
}
