import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, PathResource } from '../../access/access';
import { type Caller } from '../../access/caller';
import { DEVELOPERS } from '../../access/role-type';
import { ClientSignal } from '../../http/server/client-signal';
import { Operation } from '../../openapi/operation';
import { type Page } from '../../paging/page';
import { GitRepositoryLoader, type GitRepositoryResource } from '../git-repository.loader';
import { BranchesService } from './branches.service';
import { AddBranchDto, BranchDto, DeleteBranchQuery } from './dto/branch.dto';
import { ListContentsQuery } from './dto/contents-queries.dto';
import { TagDto } from './dto/tag.dto';
import { NOT_OF_THE_FAMILY } from '../../openapi/not-of-the-family';

@ApiTags('Git repositories')
@Controller('projects/:projectIdOrKey/git/repositories/:repoIdOrName')
export class BranchesController {
  constructor(private readonly branches: BranchesService) {}

  @Get('branches')
  @Operation({
    summary: 'List the branches of a git repository',
    description: `Ordered by name. ${NOT_OF_THE_FAMILY}`,
    returns: [BranchDto],
  })
  @Access({ roles: DEVELOPERS, resource: GitRepositoryLoader })
  listBranches(
    @PathResource() { id }: GitRepositoryResource,
    @CurrentCaller() caller: Caller,
    @ClientSignal() signal: AbortSignal,
    @Query() query: ListContentsQuery,
  ): Promise<Page<BranchDto>> {
    return this.branches.list({ repositoryId: id, userId: caller.id, signal }, query);
  }

  @Post('branches')
  @Operation({
    summary: 'Add a branch to a git repository',
    description: `Has the same effects as a push, including activity 12. ${NOT_OF_THE_FAMILY}`,
    returns: BranchDto,
    creates: true,
    countLimit: 'gitRef',
    example: { name: 'feature/search', isDefault: false },
  })
  @Access({ roles: DEVELOPERS, resource: GitRepositoryLoader })
  addBranch(
    @PathResource() { id }: GitRepositoryResource,
    @CurrentCaller() caller: Caller,
    @Body() body: AddBranchDto,
  ): Promise<BranchDto> {
    return this.branches.add(id, caller, body);
  }

  @Delete('branches')
  @Operation({
    summary: 'Delete a branch of a git repository',
    description: `Has the same effects as a push, including activity 12. The default branch cannot be deleted while it is protected. Returns the deleted branch. ${NOT_OF_THE_FAMILY}`,
    returns: BranchDto,
    example: { name: 'feature/search', isDefault: false },
  })
  @Access({ roles: DEVELOPERS, resource: GitRepositoryLoader })
  deleteBranch(
    @PathResource() { id }: GitRepositoryResource,
    @CurrentCaller() caller: Caller,
    @Query() { name }: DeleteBranchQuery,
  ): Promise<BranchDto> {
    return this.branches.delete(id, caller, name);
  }

  @Get('tags')
  @Operation({
    summary: 'List the tags of a git repository',
    description: `Ordered by name. ${NOT_OF_THE_FAMILY}`,
    returns: [TagDto],
  })
  @Access({ roles: DEVELOPERS, resource: GitRepositoryLoader })
  listTags(
    @PathResource() { id }: GitRepositoryResource,
    @CurrentCaller() caller: Caller,
    @ClientSignal() signal: AbortSignal,
    @Query() query: ListContentsQuery,
  ): Promise<Page<TagDto>> {
    return this.branches.listTags({ repositoryId: id, userId: caller.id, signal }, query);
  }
}
