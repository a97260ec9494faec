import { Column, Entity, Unique } from 'typeorm';
import { LockVersionColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { RoleType } from '../../access/role-type';

/** Somebody who can use the space. */
@Entity('user', tableOptions)
@Unique(['userId'])
export class User {
  @PrimaryId()
  id: number;

  /** Name to sign in by. */
  @Column({ length: 255 })
  userId: string;

  @Column({ length: 255 })
  name: string;

  @Column({ type: 'smallint' })
  roleType: RoleType;

  @Column({ length: 16 })
  lang: string;

  @Column({ length: 255 })
  mailAddress: string;

  /** Starts as the creation time; moves on use, at most once a minute. */
  @TimeColumn()
  lastLoginTime: number;

  /** A user who has left, and whose writings stay, is not active: no key of theirs works, and no list shows them. */
  @Column({ type: 'boolean', default: true })
  active: boolean;

  /** A disabled user stays in every list and remains the author of what they wrote, but no key of theirs works. */
  @Column({ type: 'boolean', default: false })
  disabled: boolean;

  /** As `hashPassword` makes it; null until one is set. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  passwordHash: string | null;

  @TimeColumn()
  created: number;

  /** The account at the vendor that every user is linked to (`docs/protocol.md#user`). */
  @Column({ length: 64 })
  vendorId: string;

  @Column({ length: 255 })
  vendorName: string;

  @Column({ length: 255 })
  vendorUniqueId: string;

  @LockVersionColumn()
  lockVersion?: number;
}
