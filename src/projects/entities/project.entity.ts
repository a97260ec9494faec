import { Column, Entity, Unique } from 'typeorm';
import { PrimaryId, tableOptions, TimeColumn } from '../../database/columns';

/** A project; everything else in the service but users belongs to one. */
@Entity('project', tableOptions)
@Unique(['projectKey'])
export class Project {
  @PrimaryId()
  id: number;

  /** `[A-Z][A-Z0-9_]{0,24}`; the first part of its issues' keys. */
  @Column({ length: 25 })
  projectKey: string;

  @Column({ length: 255 })
  name: string;

  @TimeColumn()
  created: number;
}
