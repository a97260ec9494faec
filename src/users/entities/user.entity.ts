import { Column, Entity, Unique } from 'typeorm';
import {
  EnumColumn,
  LockVersionColumn,
  PrimaryId,
  tableOptions,
  TimeColumn,
} from '../../database/schema/columns';
import { RoleType } from '../../access/role-type';

/** A user of the space. */
@Entity('user', tableOptions)
@Unique(['userId'])
export class User {
  @PrimaryId()
  id: number;

  /** The name to sign in by. */
  @Column({ length: 255 })
  userId: string;

  @Column({ length: 255 })
  name: string;

  @EnumColumn(RoleType)
  roleType: RoleType;

  @Column({ length: 16 })
  lang: string;

  @Column({ length: 255 })
  mailAddress: string;

  /** Starts as the creation time; updated on use, at most once a minute. */
  @TimeColumn()
  lastLoginTime: number;

  /**
   * Whether the user has not left. The content of a user who has left is kept, but their keys do not work, and no list includes
   * them.
   */
  @Column({ type: 'boolean', default: true })
  active: boolean;

  /** Whether the user is disabled: included in every list and still the author of their content, but their keys do not work. */
  @Column({ type: 'boolean', default: false })
  disabled: boolean;

  /** Whether an import has added the user for a person whom it did not find in the space; `pms user merge` joins both. */
  @Column({ type: 'boolean', default: false })
  placeholder: boolean;

  /** The result of `hashPassword`; null until a password is set. */
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
