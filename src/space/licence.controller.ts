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
      'The features and limits of the service, in the format of the API family. The service needs no licence, and this one never expires.',
    returns: LicenceDto,
  })
  @Access({ roles: EVERYONE })
  getLicence(): Promise<LicenceDto> {
    return this.licence.get();
  }
}
