import { Body, Controller, Delete, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, PathResource } from '../access/access';
import { Operation } from '../openapi/operation';
import { type Caller } from '../access/caller';
import { EVERYONE } from '../access/role-type';
import { AddStarDto } from './dto/add-star.dto';
import { StarGivingService } from './star-giving.service';
import { StarLoader, type StarResource } from './star.loader';

@ApiTags('Stars')
@Controller('stars')
export class StarsController {
  constructor(private readonly stars: StarGivingService) {}

  @Post()
  @Operation({
    summary: 'Add a star',
    description:
      'Adds a star to exactly one object that the caller may see. A second star by the same user on the same object changes nothing.',
    returns: 'nothing',
  })
  @Access({ roles: EVERYONE })
  addStar(@CurrentCaller() caller: Caller, @Body() body: AddStarDto): Promise<void> {
    return this.stars.add(caller, body);
  }

  @Delete(':starId')
  @Operation({
    summary: 'Delete a star',
    description: 'Only the user who gave the star may do this.',
    returns: 'nothing',
  })
  @Access({ roles: EVERYONE, resource: StarLoader, ownerOnly: true })
  deleteStar(@PathResource() star: StarResource): Promise<void> {
    return this.stars.remove(star);
  }
}
