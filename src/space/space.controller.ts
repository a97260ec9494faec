import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access';
import { Operation } from '../openapi/operation';
import { EVERYONE } from '../access/role-type';
import { SpaceDto } from './dto/space.dto';
import { SpaceService } from './space.service';

@ApiTags('Space')
@Controller('space')
export class SpaceController {
  constructor(private readonly space: SpaceService) {}

  @Get()
  @Operation({ summary: 'Get the space', returns: SpaceDto })
  @Access({ roles: EVERYONE })
  getSpace(): Promise<SpaceDto> {
    return this.space.get();
  }
}
