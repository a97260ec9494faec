import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access';
import { EVERYONE } from '../access/role-type';
import { Operation } from '../openapi/operation';
import { LicenceDto } from './dto/licence.dto';
import { LicenceService } from './licence.service';

@ApiTags('Space')
@Controller('space/licence')
export class LicenceController {
  constructor(private readonly licence: LicenceService) {}

  @Get()
  @Operation({
    summary: 'Get the licence of the space',
    description:
      'What the service can do and its limits, in the form of the family. It needs no licence and never ends.',
    returns: LicenceDto,
  })
  @Access({ roles: EVERYONE })
  getLicence(): Promise<LicenceDto> {
    return this.licence.get();
  }
}
