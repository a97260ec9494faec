import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import { Attachment } from '../../attachments/entities/attachment.entity';
import {
  BigIntColumn,
  LockVersionColumn,
  PrimaryId,
  SizeColumn,
  tableOptions,
} from '../../database/schema/columns';
import { Project } from '../../projects/entities/project.entity';
import { Edited } from '../../users/entities/authored.entity';
import { MAX_NAME_LENGTH, MAX_PATH_LENGTH } from '../shared-path';

/** A folder or file of a project. Its path never changes; a new version of a file has another `attachmentId`. */
@Entity('shared_file', tableOptions)
@Unique(['projectId', 'pathKey'])
@Unique(['attachmentId'])
@Index(['projectId', 'folderId'])
@Index(['createdUserId'])
export class SharedFile extends Edited {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  project?: Project;

  /** The parent folder, or `TOP_FOLDER`. */
  @BigIntColumn()
  folderId: number;

  /** SHA-256 of the whole path in base64url, so that paths of any length can be indexed and are unique. */
  @Column({ length: 43 })
  pathKey: string;

  /** The path of the parent folder, with a slash at both ends. */
  @Column({ length: MAX_PATH_LENGTH })
  dir: string;

  @Column({ length: MAX_NAME_LENGTH })
  name: string;

  /** The content of a file; null for a folder. */
  @BigIntColumn({ nullable: true })
  attachmentId: number | null;

  @ManyToOne(() => Attachment)
  attachment?: Attachment;

  /** Bytes of a file; null for a folder. */
  @SizeColumn({ nullable: true })
  size: number | null;

  @LockVersionColumn()
  lockVersion?: number;
}
