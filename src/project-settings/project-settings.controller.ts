import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Subject } from '../access/access';
import { Operation } from '../openapi/operation';
import { ProjectResolver } from '../projects/project.resolver';
import { type VisibleProject } from '../projects/projects.service';
import { DEVELOPERS, RoleType } from '../users/role-type';
import { AddIssueTypeDto } from './dto/add-issue-type.dto';
import { AddStatusDto } from './dto/add-status.dto';
import { IssueTypeDto } from './dto/issue-type.dto';
import { StatusDto } from './dto/status.dto';
import { ProjectSettingsService } from './project-settings.service';

@ApiTags('Project settings')
@Controller('projects/:projectIdOrKey')
export class ProjectSettingsController {
  constructor(private readonly settings: ProjectSettingsService) {}

  @Post('issueTypes')
  @Operation({
    summary: 'Add an issue type to a project',
    description: 'The new type comes last.',
    returns: IssueTypeDto,
    creates: true,
    countLimit: 'A project can have at most 100 issue types.',
  })
  @Access({ roles: DEVELOPERS, resource: ProjectResolver })
  addIssueType(@Subject() project: VisibleProject, @Body() body: AddIssueTypeDto): Promise<IssueTypeDto> {
    return this.settings.addIssueType(project.id, body);
  }

  @Post('statuses')
  @Operation({
    summary: 'Add a status to a project',
    description:
      'The new status comes just before Closed. Administrators may, and administrators of the project.',
    returns: StatusDto,
    creates: true,
    countLimit: 'A project can have at most 12 statuses.',
  })
  @Access({ roles: [RoleType.Administrator], resource: ProjectResolver, orProjectAdministrator: true })
  addStatus(@Subject() project: VisibleProject, @Body() body: AddStatusDto): Promise<StatusDto> {
    return this.settings.addStatus(project.id, body);
  }
}
