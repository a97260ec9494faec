import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';
import { IdentityProvider } from './identity-provider.entity';

/** What a user is at an identity provider. */
@Entity('identity', tableOptions)
@Unique(['providerId', 'subject'])
@Unique(['providerId', 'userId'])
export class Identity {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  providerId: number;

  @ManyToOne(() => IdentityProvider, { onDelete: 'CASCADE' })
  provider?: IdentityProvider;

  /** The provider's lasting name of the person, `sub`. */
  @Column({ length: 255 })
  subject: string;

  @Index()
  @BigIntColumn()
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  user?: User;

  /** The mail address there at the last sign-in; null if the provider says none. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  mailAddress: string | null;

  @TimeColumn()
  created: number;

  /** The last sign-in with it; null if there was none. */
  @TimeColumn({ nullable: true })
  lastUsed: number | null;
}
