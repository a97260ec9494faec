import { ManyToOne } from 'typeorm';
import { PrimaryForeignKey } from '../../database/schema/columns';
import { SharedFile } from './shared-file.entity';

/** The common columns of the tables of all `SharedFileLink`s, which link shared files to their owners. */
export abstract class LinkedSharedFile {
  @PrimaryForeignKey()
  sharedFileId: number;

  @ManyToOne(() => SharedFile, { onDelete: 'CASCADE' })
  sharedFile?: SharedFile;
}
