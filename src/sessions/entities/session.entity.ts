import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';

/** A browser in which a user has signed in. Only the SHA-256 of its token is stored. */
@Entity('session', tableOptions)
@Unique(['tokenHash'])
export class Session {
  @PrimaryId()
  id: number;

  @Index()
  @BigIntColumn()
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  user?: User;

  /** SHA-256 of the token, in hexadecimal. */
  @Column({ length: 64 })
  tokenHash: string;

  @TimeColumn()
  created: number;

  /** Updated at most once a minute. */
  @TimeColumn()
  lastSeen: number;

  /** From this time on, the session is refused. */
  @Index()
  @TimeColumn()
  expires: number;

  /** When the user last proved who they are. */
  @TimeColumn()
  authenticated: number;

  /** When the user proved their second factor; null if they did not. */
  @TimeColumn({ nullable: true })
  secondFactor: number | null;

  /** The client's address at the sign-in. */
  @Column({ length: 45 })
  address: string;

  /** The beginning of the browser's `User-Agent`. */
  @Column({ length: 255 })
  userAgent: string;
}
