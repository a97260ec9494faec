import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, PathResource } from '../../access/access';
import { type Caller } from '../../access/caller';
import { EVERYONE, RoleType } from '../../access/role-type';
import { CountDto } from '../../http/response/count.dto';
import { Operation } from '../../openapi/operation';
import { type Page } from '../../paging/page';
import { UserLoader, type UserResource } from '../../users/user.loader';
import {
  AddWatchingDto,
  CountWatchingsQuery,
  ListWatchingsQuery,
  UpdateWatchingDto,
} from '../dto/watching-requests.dto';
import { WatchingDto } from '../dto/watching.dto';
import { WatchingLoader, type WatchingResource } from './watching.loader';
import { WatchingsService } from './watchings.service';

const OWN = { roles: EVERYONE, resource: UserLoader, ownerOnly: true } as const;
const READ = { roles: [RoleType.Administrator], resource: UserLoader, orOwner: true } as const;
const WATCHING = { roles: EVERYONE, resource: WatchingLoader } as const;

@ApiTags('Watchings')
@Controller()
export class WatchingsController {
  constructor(private readonly watchings: WatchingsService) {}

  @Get('users/:userId/watchings')
  @Operation({
    summary: 'List the issues that a user watches',
    description: `Only issues that the user may still see, most recently changed first unless \`sort\` or \`order\`
is given. Administrators may read the watchings of any user, others only their own.`,
    returns: [WatchingDto],
  })
  @Access(READ)
  listWatchings(
    @PathResource() user: UserResource,
    @CurrentCaller() caller: Caller,
    @Query() query: ListWatchingsQuery,
  ): Promise<Page<WatchingDto>> {
    return this.watchings.list(user.id, caller, query);
  }

  @Get('users/:userId/watchings/count')
  @Operation({
    summary: 'Count the issues that a user watches',
    description: 'Administrators may do this for any user, others only for themselves.',
    returns: CountDto,
  })
  @Access(READ)
  countWatchings(
    @PathResource() user: UserResource,
    @CurrentCaller() caller: Caller,
    @Query() query: CountWatchingsQuery,
  ): Promise<CountDto> {
    return this.watchings.count(user.id, caller, query);
  }

  @Post('users/:userId/watchings/markAsChecked')
  @Operation({
    summary: 'Mark all watchings as checked',
    description: 'The issues remain unread.',
    returns: 'nothing',
  })
  @Access(OWN)
  markWatchingsAsChecked(@CurrentCaller() caller: Caller): Promise<void> {
    return this.watchings.markAsChecked(caller);
  }

  @Post('watchings')
  @Operation({
    summary: 'Watch an issue',
    description: `From then on, the caller is notified of each change of the issue by another user. If the
caller already watches the issue, returns that watching, with the new note if there is one.`,
    returns: WatchingDto,
    creates: true,
    countLimit: ['watching', 'watcher'],
  })
  @Access({ roles: EVERYONE })
  addWatching(@CurrentCaller() caller: Caller, @Body() body: AddWatchingDto): Promise<WatchingDto> {
    return this.watchings.add(caller, body);
  }

  @Get('watchings/:watchingId')
  @Operation({ summary: 'Get a watching', returns: WatchingDto })
  @Access(WATCHING)
  getWatching(@PathResource() { id }: WatchingResource): Promise<WatchingDto> {
    return this.watchings.get(id);
  }

  @Patch('watchings/:watchingId')
  @Operation({
    summary: 'Update the note of a watching',
    description: '`null`, or nothing after the `=` of a form, clears the note.',
    returns: WatchingDto,
  })
  @Access(WATCHING)
  updateWatching(
    @PathResource() watching: WatchingResource,
    @Body() body: UpdateWatchingDto,
  ): Promise<WatchingDto> {
    return this.watchings.update(watching, body);
  }

  @Delete('watchings/:watchingId')
  @Operation({ summary: 'Stop watching an issue', returns: WatchingDto })
  @Access(WATCHING)
  deleteWatching(@PathResource() watching: WatchingResource): Promise<WatchingDto> {
    return this.watchings.delete(watching);
  }

  @Post('watchings/:watchingId/markAsRead')
  @Operation({
    summary: 'Mark a watching as read',
    description: 'Lasts until another user changes the issue again.',
    returns: 'nothing',
  })
  @Access(WATCHING)
  markWatchingAsRead(@PathResource() watching: WatchingResource): Promise<void> {
    return this.watchings.markAsRead(watching);
  }
}
