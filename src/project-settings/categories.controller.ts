import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { type AuditedCaller } from '../access/caller';
import { Operation } from '../openapi/operation';
import { type ProjectResource } from '../projects/project-resource';
import { ProjectLoader } from '../projects/project.loader';
import { type VisibleProject } from '../projects/projects.service';
import { DEVELOPERS, EVERYONE } from '../access/role-type';
import { CategoriesService } from './categories.service';
import { CategoryLoader } from './category.loader';
import { AddCategoryDto } from './dto/add-category.dto';
import { CategoryDto } from './dto/category.dto';
import { UpdateCategoryDto } from './dto/update-category.dto';

@ApiTags('Project settings')
@Controller('projects/:projectIdOrKey/categories')
export class CategoriesController {
  constructor(private readonly categories: CategoriesService) {}

  @Get()
  @Operation({
    summary: "List a project's categories",
    description: 'Ordered by `displayOrder`.',
    returns: [CategoryDto],
  })
  @Access({ roles: EVERYONE, resource: ProjectLoader })
  listCategories(@PathResource() project: VisibleProject): Promise<CategoryDto[]> {
    return this.categories.list(project.id);
  }

  @Post()
  @Operation({
    summary: 'Add a category to a project',
    description: 'Adds the category after the existing ones.',
    returns: CategoryDto,
    countLimit: 'category',
  })
  @Access({ roles: DEVELOPERS, resource: ProjectLoader })
  addCategory(
    @PathResource() project: VisibleProject,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() { name }: AddCategoryDto,
  ): Promise<CategoryDto> {
    return this.categories.add(project.id, caller, name);
  }

  @Patch(':categoryId')
  @Operation({ summary: 'Rename a category', returns: CategoryDto })
  @Access({ roles: DEVELOPERS, resource: CategoryLoader })
  updateCategory(
    @PathResource() category: ProjectResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() { name }: UpdateCategoryDto,
  ): Promise<CategoryDto> {
    return this.categories.update(category, caller, name);
  }

  @Delete(':categoryId')
  @Operation({
    summary: 'Delete a category',
    description: 'Its issues are kept, without the category.',
    returns: CategoryDto,
  })
  @Access({ roles: DEVELOPERS, resource: CategoryLoader })
  deleteCategory(
    @PathResource() category: ProjectResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
  ): Promise<CategoryDto> {
    return this.categories.delete(category, caller);
  }
}
