import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { type AuditedCaller } from '../access/caller';
import { DEVELOPERS, EVERYONE, RoleType } from '../access/role-type';
import { Operation } from '../openapi/operation';
import { type ProjectResource } from '../projects/project-resource';
import { ProjectLoader } from '../projects/project.loader';
import { type VisibleProject } from '../projects/projects.service';
import {
  CustomFieldItemLoader,
  type CustomFieldItemResource,
  CustomFieldLoader,
} from './custom-field.loader';
import { CustomFieldsService } from './custom-fields.service';
import { AddCustomFieldDto } from './dto/add-custom-field.dto';
import { CustomFieldItemNameDto } from './dto/custom-field-item-name.dto';
import { CustomFieldDto } from './dto/custom-field.dto';
import { UpdateCustomFieldDto } from './dto/update-custom-field.dto';

@ApiTags('Project settings')
@Controller('projects/:projectIdOrKey/customFields')
export class CustomFieldsController {
  constructor(private readonly fields: CustomFieldsService) {}

  @Get()
  @Operation({
    summary: "List a project's custom fields",
    description: 'Ordered by `displayOrder`.',
    returns: [CustomFieldDto],
  })
  @Access({ roles: EVERYONE, resource: ProjectLoader })
  listCustomFields(@PathResource() project: VisibleProject): Promise<CustomFieldDto[]> {
    return this.fields.list(project.id);
  }

  @Post()
  @Operation({
    summary: 'Add a custom field to a project',
    description: `Adds the field after the existing ones, without values in issues. A required field must have a value in new issues, and
in updates that change the type of an issue. Clients offer the initial value; the service does not store it by itself.`,
    returns: CustomFieldDto,
    countLimit: ['customField', 'customFieldItem'],
  })
  @Access({ roles: [RoleType.Administrator], resource: ProjectLoader, orProjectAdministrator: true })
  addCustomField(
    @PathResource() project: VisibleProject,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: AddCustomFieldDto,
  ): Promise<CustomFieldDto> {
    return this.fields.add(project.id, caller, body);
  }

  @Patch(':customFieldId')
  @Operation({
    summary: 'Update a custom field',
    description: `Omitted settings are unchanged; \`null\` clears a setting. Existing values of issues are kept, even those that the new
settings would reject; issues whose type no longer has the field do not show them. \`items\` replaces the
whole list: items with existing names are kept, others are added, and the rest are removed, also from issues.`,
    returns: CustomFieldDto,
    countLimit: 'customFieldItem',
  })
  @Access({ roles: [RoleType.Administrator], resource: CustomFieldLoader, orProjectAdministrator: true })
  updateCustomField(
    @PathResource() field: ProjectResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: UpdateCustomFieldDto,
  ): Promise<CustomFieldDto> {
    return this.fields.update(field, caller, body);
  }

  @Delete(':customFieldId')
  @Operation({
    summary: 'Delete a custom field',
    description:
      'Removes the values of the field from all issues. Change logs and activities still show them.',
    returns: CustomFieldDto,
  })
  @Access({ roles: [RoleType.Administrator], resource: CustomFieldLoader, orProjectAdministrator: true })
  deleteCustomField(
    @PathResource() field: ProjectResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
  ): Promise<CustomFieldDto> {
    return this.fields.delete(field, caller);
  }

  @Post(':customFieldId/items')
  @Operation({
    summary: 'Add an item to a custom field',
    description:
      'Adds the item after the existing ones. Unless the field has `allowAddItem`, only Administrators and administrators of the project may do this.',
    returns: CustomFieldDto,
    countLimit: 'customFieldItem',
  })
  @Access({ roles: DEVELOPERS, resource: CustomFieldLoader, orProjectAdministrator: true })
  addCustomFieldItem(
    @PathResource() field: ProjectResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() { name }: CustomFieldItemNameDto,
  ): Promise<CustomFieldDto> {
    return this.fields.addItem(field, caller, name);
  }

  @Patch(':customFieldId/items/:itemId')
  @Operation({
    summary: 'Rename an item of a custom field',
    description: 'Issues with the item show the new name.',
    returns: CustomFieldDto,
  })
  @Access({ roles: [RoleType.Administrator], resource: CustomFieldItemLoader, orProjectAdministrator: true })
  updateCustomFieldItem(
    @PathResource() item: CustomFieldItemResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() { name }: CustomFieldItemNameDto,
  ): Promise<CustomFieldDto> {
    return this.fields.updateItem(item, item.itemId, caller, name);
  }

  @Delete(':customFieldId/items/:itemId')
  @Operation({
    summary: 'Delete an item of a custom field',
    description: 'Removes the item from all issues. Change logs and activities still show it.',
    returns: CustomFieldDto,
  })
  @Access({ roles: [RoleType.Administrator], resource: CustomFieldItemLoader, orProjectAdministrator: true })
  deleteCustomFieldItem(
    @PathResource() item: CustomFieldItemResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
  ): Promise<CustomFieldDto> {
    return this.fields.deleteItem(item, item.itemId, caller);
  }
}
