import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Response } from 'express';
import { Access, type AccessRule, type AuthorizedRequest, PathResource } from '../../access/access';
import { DEVELOPERS } from '../../access/role-type';
import { CountsAs } from '../../limits/rate-class';
import { type GitRepositoryResource } from '../git-repository.loader';
import { GitAddressLoader } from './git-address.loader';
import { GitFetchService } from './git-fetch.service';
import { GitPushService } from './git-push.service';

const RULE: AccessRule = {
  roles: DEVELOPERS,
  resource: GitAddressLoader,
  passwordRealm: 'git',
  area: 'git',
};

/** The endpoints of `git clone`, `git fetch` and `git push`: not part of the API, and outside its base path. */
@ApiExcludeController()
@Controller('git/:projectKey/:repository')
export class GitServingController {
  constructor(
    private readonly fetches: GitFetchService,
    private readonly pushes: GitPushService,
  ) {}

  @Get('info/refs')
  @Access(RULE)
  getGitRefs(
    @PathResource() repository: GitRepositoryResource,
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.fetches.advertise({ repositoryId: repository.id, request, response });
  }

  @Post('git-upload-pack')
  @CountsAs('read')
  @Access(RULE)
  fetchFromGit(
    @PathResource() repository: GitRepositoryResource,
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.fetches.fetch({ repositoryId: repository.id, request, response });
  }

  @Post('git-receive-pack')
  @Access(RULE)
  pushToGit(
    @PathResource() repository: GitRepositoryResource,
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.pushes.push({ repositoryId: repository.id, request, response });
  }
}

/** The paths of the controller, which are excluded from the base path. */
export const GIT_ADDRESSES = ['info/refs', 'git-upload-pack', 'git-receive-pack'].map(
  (path) => `git/:projectKey/:repository/${path}`,
);
