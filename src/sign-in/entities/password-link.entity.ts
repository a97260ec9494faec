import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import { PrimaryForeignKey, tableOptions, TimeColumn } from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';

/** A link with which a user sets a password once. Only the SHA-256 of its token is stored. */
@Entity('password_link', tableOptions)
@Unique(['tokenHash'])
export class PasswordLink {
  @PrimaryForeignKey()
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  user?: User;

  /** SHA-256 of the token, in hexadecimal. */
  @Column({ length: 64 })
  tokenHash: string;

  @TimeColumn()
  created: number;

  /** Whether it signs in without the user's second factor. Only the operator makes such a link. */
  @Column({ type: 'boolean', default: false })
  withoutSecondFactor: boolean;

  /** Whether the operator has made it: it then signs in even where passwords are switched off. */
  @Column({ type: 'boolean', default: false })
  byOperator: boolean;

  /** From this time on, the link is refused. */
  @Index()
  @TimeColumn()
  expires: number;
}
