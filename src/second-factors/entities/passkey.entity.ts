import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';

/** A user's passkey. None of its columns is a secret: the private key never leaves the authenticator. */
@Entity('passkey', tableOptions)
@Unique(['credentialHash'])
export class Passkey {
  @PrimaryId()
  id: number;

  @Index()
  @BigIntColumn()
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  user?: User;

  /** SHA-256 of the credential's id, in hexadecimal: the id is too long for a unique index. */
  @Column({ length: 64 })
  credentialHash: string;

  /** The id that the authenticator chose, up to 1023 bytes in base64url. */
  @Column({ length: 1400 })
  credentialId: string;

  /** A COSE key in base64url. */
  @Column({ length: 1400 })
  publicKey: string;

  /** The authenticator's counter of signatures at the last use; 0 if it has none. */
  @BigIntColumn()
  signCount: number;

  /** How browsers reach the authenticator, such as `internal,hybrid`; empty if unknown. */
  @Column({ length: 100 })
  transports: string;

  /** Whether the passkey is copied to other devices of its user. */
  @Column({ type: 'boolean' })
  backedUp: boolean;

  /** The name that the user gave it. */
  @Column({ length: 100 })
  name: string;

  @TimeColumn()
  created: number;

  /** Null before the first sign-in. */
  @TimeColumn({ nullable: true })
  lastUsed: number | null;

  /** The last sign-in with nothing else; null if there was none: not every authenticator verifies its user and names them. */
  @TimeColumn({ nullable: true })
  lastUsedAlone: number | null;
}
