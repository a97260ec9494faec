import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, CurrentCaller, PathResource } from '../access/access';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { ProjectQuery } from '../projects/dto/project-query.dto';
import { ProjectLoader } from '../projects/project.loader';
import { type VisibleProject } from '../projects/projects.service';
import { type AuditedCaller, type Caller } from '../access/caller';
import { DEVELOPERS } from '../access/role-type';
import { AddGitRepositoryDto } from './dto/add-git-repository.dto';
import { GitRepositoryDto } from './dto/git-repository.dto';
import { UpdateGitRepositoryDto } from './dto/update-git-repository.dto';
import { GitRepositoriesService } from './git-repositories.service';
import { GitRepositoryRemovalService } from './git-repository-removal.service';
import { GitRepositoryLoader, type GitRepositoryResource } from './git-repository.loader';

/** Git requires role 1 or 2, even for administrators of the project (`docs/decisions/0003-access.md#rights`). */
const BY_ADMINISTRATORS = { roles: DEVELOPERS, administratorOnly: true } as const;

/** Lists the repositories of the project in the query, for older clients. */
@ApiTags('Git repositories')
@Controller('git/repositories')
export class ProjectGitRepositoriesController {
  constructor(private readonly repositories: GitRepositoriesService) {}

  @Get()
  @Operation({
    summary: 'List the git repositories of the project in the query',
    description: 'Same as `GET /projects/{projectIdOrKey}/git/repositories`.',
    returns: [GitRepositoryDto],
  })
  @Access({ roles: DEVELOPERS, resource: ProjectLoader, fromQuery: ['projectIdOrKey'] })
  listProjectGitRepositories(
    @Query() _query: ProjectQuery,
    @PathResource() project: VisibleProject,
  ): Promise<GitRepositoryDto[]> {
    return this.repositories.list(project.id);
  }
}

@ApiTags('Git repositories')
@Controller('projects/:projectIdOrKey/git/repositories')
export class GitRepositoriesController {
  constructor(
    private readonly repositories: GitRepositoriesService,
    private readonly removal: GitRepositoryRemovalService,
  ) {}

  @Get()
  @Operation({
    summary: 'List the git repositories of a project',
    description: 'Ordered by `displayOrder`.',
    returns: [GitRepositoryDto],
  })
  @Access({ roles: DEVELOPERS, resource: ProjectLoader })
  listGitRepositories(@PathResource() project: VisibleProject): Promise<GitRepositoryDto[]> {
    return this.repositories.list(project.id);
  }

  @Post()
  @Operation({
    summary: 'Add a git repository to a project',
    description: `Adds the repository after the existing ones. Writes activity 13. Only Administrators and administrators of the project may do this. ${NOT_OF_THE_FAMILY}`,
    returns: GitRepositoryDto,
    countLimit: 'gitRepository',
  })
  @Access({ ...BY_ADMINISTRATORS, resource: ProjectLoader })
  addGitRepository(
    @PathResource() project: VisibleProject,
    @CurrentCaller() caller: Caller,
    @Body() body: AddGitRepositoryDto,
  ): Promise<GitRepositoryDto> {
    return this.repositories.create(project.id, caller, body);
  }

  @Get(':repoIdOrName')
  @Operation({ summary: 'Get a git repository', returns: GitRepositoryDto })
  @Access({ roles: DEVELOPERS, resource: GitRepositoryLoader })
  getGitRepository(@PathResource() repository: GitRepositoryResource): Promise<GitRepositoryDto> {
    return this.repositories.get(repository.id);
  }

  @Patch(':repoIdOrName')
  @Operation({
    summary: 'Update a git repository',
    description: `Changes the given fields. Without git on the server, the default branch may have any name. Only Administrators and administrators of the project may do this. ${NOT_OF_THE_FAMILY}`,
    returns: GitRepositoryDto,
  })
  @Access({ ...BY_ADMINISTRATORS, resource: GitRepositoryLoader })
  updateGitRepository(
    @PathResource() repository: GitRepositoryResource,
    @CurrentCaller() caller: Caller,
    @Body() body: UpdateGitRepositoryDto,
  ): Promise<GitRepositoryDto> {
    return this.repositories.update(repository.id, caller, body);
  }

  @Delete(':repoIdOrName')
  @Operation({
    summary: 'Delete a git repository',
    description: `Deletes the repository with its pull requests, their comments and their files. Only Administrators and administrators of the project may do this. The response is sent after everything has been deleted; large numbers of pull requests are deleted in several steps. ${NOT_OF_THE_FAMILY}`,
    returns: GitRepositoryDto,
  })
  @Access({ ...BY_ADMINISTRATORS, resource: GitRepositoryLoader })
  deleteGitRepository(
    @PathResource() repository: GitRepositoryResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
  ): Promise<GitRepositoryDto> {
    return this.removal.remove(repository, caller);
  }
}
