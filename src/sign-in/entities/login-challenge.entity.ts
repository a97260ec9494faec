import { Column, Entity, Index, ManyToOne, PrimaryColumn } from 'typeorm';
import { RoleType } from '../../access/role-type';
import { BigIntColumn, EnumColumn, tableOptions, TimeColumn } from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';

/** A user who has proved their password or has a link, and not their second factor yet. Only the SHA-256 of its token is stored. */
@Entity('login_challenge', tableOptions)
export class LoginChallenge {
  /** SHA-256 of the token, in hexadecimal. */
  @PrimaryColumn({ length: 64, type: 'varchar' })
  tokenHash: string;

  @Index()
  @BigIntColumn()
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  user?: User;

  /** The hash of the password to be set with the right code; null if it stays. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  passwordHash: string | null;

  /** When the user proved who they are, if not now, in milliseconds since 1970: at an identity provider. */
  @TimeColumn({ nullable: true })
  authenticated: number | null;

  /** The role that an identity provider gives the user with the right code; null if it stays. */
  @EnumColumn(RoleType, { nullable: true })
  roleType: RoleType | null;

  /** Number of wrong codes. */
  @Column({ type: 'integer' })
  failures: number;

  /** From this time on, codes are refused. */
  @Index()
  @TimeColumn()
  expires: number;
}
