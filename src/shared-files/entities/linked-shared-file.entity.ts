import { JoinColumn, ManyToOne } from 'typeorm';
import { PrimaryForeignKey } from '../../database/columns';
import { SharedFile } from './shared-file.entity';

/** A shared file that is linked to something: what the tables of each `SharedFileLink` have in common. */
export abstract class LinkedSharedFile {
  @PrimaryForeignKey()
  sharedFileId: number;

  @ManyToOne(() => SharedFile, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'shared_file_id' })
  sharedFile?: SharedFile;
}
