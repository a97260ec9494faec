import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import { RoleType } from '../../access/role-type';
import {
  BigIntColumn,
  EnumColumn,
  JsonColumn,
  PrimaryId,
  tableOptions,
  TimeColumn,
} from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';

/** A link with which a person becomes a user, once. Only the SHA-256 of its token is stored. A revoked invitation is deleted. */
@Entity('invitation', tableOptions)
@Unique(['tokenHash'])
export class Invitation {
  @PrimaryId()
  id: number;

  @Column({ length: 255 })
  mailAddress: string;

  @EnumColumn(RoleType)
  roleType: RoleType;

  /** Ids of the projects that the user joins. They may have been deleted since. */
  @JsonColumn()
  projectIds: number[];

  /** Ids of the teams that the user joins. They may have been deleted since. */
  @JsonColumn()
  teamIds: number[];

  /** SHA-256 of the token, in hexadecimal. */
  @Column({ length: 64 })
  tokenHash: string;

  /** The same of the token in the letter, which is made when it is sent; null until then. */
  @Index()
  @Column({ type: 'varchar', length: 64, nullable: true })
  mailedTokenHash: string | null;

  /** The Administrator who invites; null for a command on the service's machine. */
  @Index()
  @BigIntColumn({ nullable: true })
  createdUserId: number | null;

  /** Without its creator, the invitation would be one of the operator, which works whoever leaves. */
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  createdUser?: User;

  @TimeColumn()
  created: number;

  /** From this time on, the link is refused. */
  @Index()
  @TimeColumn()
  expires: number;

  /** When the person became a user; null until then. */
  @TimeColumn({ nullable: true })
  accepted: number | null;

  /** The user that the person became; null also after that user has been removed. */
  @Index()
  @BigIntColumn({ nullable: true })
  acceptedUserId: number | null;

  @ManyToOne(() => User, { onDelete: 'SET NULL' })
  acceptedUser?: User;
}
