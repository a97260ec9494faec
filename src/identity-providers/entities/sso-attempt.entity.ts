import { Column, Entity, Index, ManyToOne, PrimaryColumn } from 'typeorm';
import { BigIntColumn, EnumColumn, tableOptions, TimeColumn } from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';
import { AttemptPurpose } from '../sign-in/attempt-purpose';
import { IdentityProvider } from './identity-provider.entity';

/** A browser that has gone to an identity provider. Only the SHA-256 of its token is stored, and the row is deleted on its return. */
@Entity('sso_attempt', tableOptions)
export class SsoAttempt {
  /** SHA-256 of the token, in hexadecimal. */
  @PrimaryColumn({ length: 64, type: 'varchar' })
  tokenHash: string;

  @Index()
  @BigIntColumn()
  providerId: number;

  @ManyToOne(() => IdentityProvider, { onDelete: 'CASCADE' })
  provider?: IdentityProvider;

  @EnumColumn(AttemptPurpose)
  purpose: AttemptPurpose;

  /** The user who had signed in; null for signing in. */
  @Index()
  @BigIntColumn({ nullable: true })
  userId: number | null;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  user?: User;

  /** Their session, which must go on until the return; null for signing in. */
  @BigIntColumn({ nullable: true })
  sessionId: number | null;

  /** SHA-256 of the token of the invitation that the person accepts, in hexadecimal; null for other purposes. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  invitationHash: string | null;

  /** The path of the page to go to. */
  @Column({ length: 2000 })
  target: string;

  @TimeColumn()
  created: number;

  /** From this time on, the return is refused. */
  @Index()
  @TimeColumn()
  expires: number;
}
