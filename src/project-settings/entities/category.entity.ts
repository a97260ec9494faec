import { Entity, Unique } from 'typeorm';
import { tableOptions } from '../../database/schema/columns';
import { ProjectSetting } from './project-setting.entity';

/** A category of issues in a project. */
@Entity('category', tableOptions)
@Unique(['projectId', 'nameKey'])
export class Category extends ProjectSetting {}
