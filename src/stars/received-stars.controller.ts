import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, PathResource } from '../access/access';
import { type Caller } from '../access/caller';
import { EVERYONE } from '../access/role-type';
import { IdPageQuery } from '../http/request/page-query';
import { CountDto } from '../http/response/count.dto';
import { Operation } from '../openapi/operation';
import { type Page } from '../paging/page';
import { UserLoader, type UserResource } from '../users/user.loader';
import { CountStarsQuery } from './dto/count-stars-query.dto';
import { StarDto } from './dto/star.dto';
import { StarsService } from './stars.service';

const VISIBLE = "on the user's issues, pull requests, wiki pages and comments that the caller may see";

@ApiTags('Stars')
@Controller('users/:userId/stars')
export class ReceivedStarsController {
  constructor(private readonly stars: StarsService) {}

  @Get()
  @Operation({
    summary: 'List the stars that a user has received',
    description: `Stars ${VISIBLE}, newest first unless \`order\` is \`asc\`.`,
    returns: [StarDto],
  })
  @Access({ roles: EVERYONE, resource: UserLoader })
  listUserStars(
    @PathResource() { id }: UserResource,
    @CurrentCaller() caller: Caller,
    @Query() query: IdPageQuery,
  ): Promise<Page<StarDto>> {
    return this.stars.listReceived(id, caller, query);
  }

  @Get('count')
  @Operation({
    summary: 'Count the stars that a user has received',
    description: `Stars ${VISIBLE}. Days are in UTC.`,
    returns: CountDto,
  })
  @Access({ roles: EVERYONE, resource: UserLoader })
  countUserStars(
    @PathResource() { id }: UserResource,
    @CurrentCaller() caller: Caller,
    @Query() query: CountStarsQuery,
  ): Promise<CountDto> {
    return this.stars.countReceived(id, caller, query);
  }
}
