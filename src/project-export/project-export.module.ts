import { Module } from '@nestjs/common';
import { MODULES } from '../modules';
import { ProjectExportService } from './project-export.service';

/** Exports a project as text. */
@Module({ imports: MODULES, providers: [ProjectExportService] })
export class ProjectExportModule {}
