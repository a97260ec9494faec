import { Column, Entity, Unique } from 'typeorm';
import {
  BigIntColumn,
  LockVersionColumn,
  PrimaryId,
  tableOptions,
  TimeColumn,
} from '../../database/schema/columns';

/** A project, to which most other data of the service belongs. */
@Entity('project', tableOptions)
@Unique(['projectKey'])
export class Project {
  @PrimaryId()
  id: number;

  /** `[A-Z][A-Z0-9_]{0,24}`, the first part of its issues' keys; `#` and the id once it is deleted. */
  @Column({ length: 25 })
  projectKey: string;

  @Column({ length: 255 })
  name: string;

  @Column({ type: 'boolean', default: false })
  chartEnabled: boolean;

  @Column({ type: 'boolean', default: false })
  useResolvedForChart: boolean;

  @Column({ type: 'boolean', default: true })
  subtaskingEnabled: boolean;

  @Column({ type: 'boolean', default: false })
  grandchildIssueEnabled: boolean;

  @Column({ type: 'boolean', default: false })
  projectLeaderCanEditProjectLeader: boolean;

  @Column({ type: 'boolean', default: true })
  useWiki: boolean;

  @Column({ type: 'boolean', default: false })
  useDocument: boolean;

  @Column({ type: 'boolean', default: false })
  useFileSharing: boolean;

  @Column({ type: 'boolean', default: true })
  useWikiTreeView: boolean;

  @Column({ type: 'boolean', default: false })
  useSubversion: boolean;

  @Column({ type: 'boolean', default: true })
  useGit: boolean;

  @Column({ type: 'boolean', default: false })
  useOriginalImageSizeAtWiki: boolean;

  @Column({ type: 'boolean', default: false })
  useDevAttributes: boolean;

  /** `backlog` or `markdown`. */
  @Column({ length: 16, default: 'markdown' })
  textFormattingRule: string;

  @Column({ type: 'boolean', default: false })
  archived: boolean;

  @Column({ type: 'integer', default: 0 })
  displayOrder: number;

  /** Whether the project is deleted: it is invisible, its contents are being removed, and its key is free. */
  @Column({ type: 'boolean', default: false })
  deleted: boolean;

  /** The import that is writing the project; until it ends, the project is as invisible as a deleted one, and is not removed. */
  @BigIntColumn({ nullable: true })
  importId: number | null;

  @TimeColumn()
  created: number;

  @LockVersionColumn()
  lockVersion?: number;
}
