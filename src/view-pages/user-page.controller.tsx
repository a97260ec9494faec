import { Controller, Get, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Response } from 'express';
import { Access, type AuthorizedRequest, PathResource } from '../access/access';
import { EVERYONE, isGuest } from '../access/role-type';
import { PageErrorsFilter } from '../pages/page-errors.filter';
import { UserLoader, type UserResource } from '../users/user.loader';
import { UsersService } from '../users/users.service';
import { UserPage } from './user-page';
import { ViewPagesService } from './view-pages.service';

/** The page of a user. */
@ApiExcludeController()
@UseFilters(PageErrorsFilter)
@Controller('user')
export class UserPageController {
  constructor(
    private readonly users: UsersService,
    private readonly pages: ViewPagesService,
  ) {}

  @Get(':userId')
  @Access({ roles: EVERYONE, resource: UserLoader, page: true, needsNoScope: true })
  async showUser(
    @PathResource() { id }: UserResource,
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
  ): Promise<void> {
    const { caller } = request;
    const user = await this.users.get(id);
    // As in responses of the API.
    const showsMailAddress = !isGuest(caller) || caller.id === id;
    this.pages.send(
      response,
      <UserPage view={this.pages.viewOf(request)} user={user} showsMailAddress={showsMailAddress} />,
    );
  }
}
