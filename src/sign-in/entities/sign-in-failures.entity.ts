import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { LockVersionColumn, tableOptions, TimeColumn } from '../../database/schema/columns';

/** How often signing in has failed lately, for one login name or from one address. */
@Entity('sign_in_failures', tableOptions)
export class SignInFailures {
  /** SHA-256 of the login name or the address, in hexadecimal: names that nobody has are not stored. */
  @PrimaryColumn({ length: 64, type: 'varchar' })
  subject: string;

  @Column({ type: 'integer' })
  failures: number;

  /** Attempts before this time are refused. */
  @TimeColumn()
  waitsUntil: number;

  /** From this time on, the failures are forgotten. */
  @Index()
  @TimeColumn()
  expires: number;

  @LockVersionColumn()
  lockVersion?: number;
}
