import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { type AuditedCaller } from '../access/caller';
import { Operation } from '../openapi/operation';
import { type ProjectResource } from '../projects/project-resource';
import { ProjectLoader } from '../projects/project.loader';
import { type VisibleProject } from '../projects/projects.service';
import { DEVELOPERS, EVERYONE } from '../access/role-type';
import { AddIssueTypeDto } from './dto/add-issue-type.dto';
import { DeleteIssueTypeDto } from './dto/delete-issue-type.dto';
import { IssueTypeDto } from './dto/issue-type.dto';
import { UpdateIssueTypeDto } from './dto/update-issue-type.dto';
import { IssueTypeLoader } from './issue-type.loader';
import { IssueTypesService } from './issue-types.service';

@ApiTags('Project settings')
@Controller('projects/:projectIdOrKey/issueTypes')
export class IssueTypesController {
  constructor(private readonly issueTypes: IssueTypesService) {}

  @Get()
  @Operation({
    summary: "List a project's issue types",
    description: 'Ordered by `displayOrder`.',
    returns: [IssueTypeDto],
  })
  @Access({ roles: EVERYONE, resource: ProjectLoader })
  listIssueTypes(@PathResource() project: VisibleProject): Promise<IssueTypeDto[]> {
    return this.issueTypes.list(project.id);
  }

  @Post()
  @Operation({
    summary: 'Add an issue type to a project',
    description: 'Adds the issue type after the existing ones.',
    returns: IssueTypeDto,
    creates: true,
    countLimit: 'issueType',
  })
  @Access({ roles: DEVELOPERS, resource: ProjectLoader })
  addIssueType(
    @PathResource() project: VisibleProject,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: AddIssueTypeDto,
  ): Promise<IssueTypeDto> {
    return this.issueTypes.add(project.id, caller, body);
  }

  @Patch(':issueTypeId')
  @Operation({
    summary: 'Update an issue type',
    description: 'A template that is empty or `null` is removed.',
    returns: IssueTypeDto,
    pathExamples: { issueTypeId: 3 },
  })
  @Access({ roles: DEVELOPERS, resource: IssueTypeLoader })
  updateIssueType(
    @PathResource() issueType: ProjectResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: UpdateIssueTypeDto,
  ): Promise<IssueTypeDto> {
    return this.issueTypes.update(issueType, caller, body);
  }

  @Delete(':issueTypeId')
  @Operation({
    summary: 'Delete an issue type',
    description:
      'Its issues receive the substitute issue type. The last issue type of a project cannot be deleted.',
    returns: IssueTypeDto,
    pathExamples: { issueTypeId: 3 },
  })
  @Access({ roles: DEVELOPERS, resource: IssueTypeLoader })
  deleteIssueType(
    @PathResource() issueType: ProjectResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() { substituteIssueTypeId }: DeleteIssueTypeDto,
  ): Promise<IssueTypeDto> {
    return this.issueTypes.delete(issueType, caller, substituteIssueTypeId);
  }
}
