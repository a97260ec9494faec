import { Entity, Unique } from 'typeorm';
import { tableOptions } from '../../database/columns';
import { ProjectSetting } from './project-setting.entity';

/** What issues of a project can be sorted into. */
@Entity('category', tableOptions)
@Unique(['projectId', 'nameKey'])
export class Category extends ProjectSetting {}
