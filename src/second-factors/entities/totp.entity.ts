import { Column, Entity, ManyToOne } from 'typeorm';
import { BigIntColumn, PrimaryForeignKey, tableOptions, TimeColumn } from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';

/** A user's authenticator app. */
@Entity('totp', tableOptions)
export class Totp {
  @PrimaryForeignKey()
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  user?: User;

  /** Encrypted (`EncryptionService`); null when its key was lost: then only recovery codes work. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  secret: string | null;

  /** When the first code confirmed it; null before, when it is not a factor yet. */
  @TimeColumn({ nullable: true })
  confirmed: number | null;

  /** The last step whose code was accepted; it is not accepted again, nor those before. */
  @BigIntColumn()
  lastStep: number;
}
