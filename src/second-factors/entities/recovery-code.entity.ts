import { Entity, ManyToOne, PrimaryColumn } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';

/** A code that takes the place of a second factor once; its row is deleted when it is used. Only its SHA-256 is stored. */
@Entity('recovery_code', tableOptions)
export class RecoveryCode {
  @PrimaryForeignKey()
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  user?: User;

  /** In hexadecimal. */
  @PrimaryColumn({ length: 64, type: 'varchar' })
  codeHash: string;
}
