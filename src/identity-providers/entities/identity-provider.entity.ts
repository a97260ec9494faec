import { Column, Entity, Unique } from 'typeorm';
import { RoleType } from '../../access/role-type';
import { EnumColumn, JsonColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/schema/columns';

/** A server of OpenID Connect with which users sign in (`docs/decisions/0065-single-sign-on.md`). */
@Entity('identity_provider', tableOptions)
@Unique(['providerKey'])
export class IdentityProvider {
  @PrimaryId()
  id: number;

  /** Its name in paths. */
  @Column({ length: 32 })
  providerKey: string;

  @Column({ length: 255 })
  name: string;

  /** Never changed: identities are those of this issuer. */
  @Column({ length: 500 })
  issuer: string;

  @Column({ length: 255 })
  clientId: string;

  /** Encrypted (`EncryptionService`); null when its key was lost. */
  @Column({ type: 'varchar', length: 500, nullable: true })
  clientSecret: string | null;

  /** Separated by spaces. */
  @Column({ length: 255 })
  scopes: string;

  /** In lower case; `*` for all. Empty allows nobody who has no identity yet. */
  @JsonColumn()
  allowedDomains: string[];

  /** Whether people without a user become one. */
  @Column({ type: 'boolean' })
  createsUsers: boolean;

  /** The role of users whom no group gives another. */
  @EnumColumn(RoleType)
  defaultRoleType: RoleType;

  /** The claim with the groups. */
  @Column({ length: 255 })
  groupsClaim: string;

  /** Role and group each, such as `1:admins`; the first group that somebody has decides. Empty leaves roles alone. */
  @JsonColumn()
  groupRoles: string[];

  /** Whether people get the user with their verified mail address. */
  @Column({ type: 'boolean' })
  linksByMail: boolean;

  /** Whether mail addresses are taken for verified if the provider does not say. */
  @Column({ type: 'boolean' })
  trustsMail: boolean;

  /** Whether a second factor at the provider takes the place of the user's own. */
  @Column({ type: 'boolean' })
  trustsSecondFactor: boolean;

  /** Whether a sign-in counts as recent if the provider does not say when the user signed in there. */
  @Column({ type: 'boolean' })
  acceptsMissingAuthTime: boolean;

  @Column({ type: 'boolean' })
  enabled: boolean;

  @TimeColumn()
  created: number;
}
