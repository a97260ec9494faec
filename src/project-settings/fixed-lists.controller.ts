import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access';
import { Operation } from '../openapi/operation';
import { EVERYONE } from '../access/role-type';
import { PriorityDto } from './dto/priority.dto';
import { ResolutionDto } from './dto/resolution.dto';
import { PRIORITIES, priorityOf } from './priorities';
import { resolutionOf, RESOLUTIONS } from './resolutions';

/** Lists of issue properties that are the same in every project. */
@ApiTags('Project settings')
@Controller()
export class FixedListsController {
  @Get('priorities')
  @Operation({
    summary: 'List the priorities of issues',
    description: 'Most urgent first.',
    returns: [PriorityDto],
  })
  @Access({ roles: EVERYONE })
  listPriorities(): PriorityDto[] {
    return [...PRIORITIES.keys()].map(priorityOf);
  }

  @Get('resolutions')
  @Operation({ summary: 'List the resolutions of issues', returns: [ResolutionDto] })
  @Access({ roles: EVERYONE })
  listResolutions(): ResolutionDto[] {
    return [...RESOLUTIONS.keys()].map((id) => resolutionOf(id));
  }
}
