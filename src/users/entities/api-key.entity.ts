import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/schema/columns';
import { User } from './user.entity';

/** A credential of a user. Only the SHA-256 of the key is stored. */
@Entity('api_key', tableOptions)
@Unique(['keyHash'])
export class ApiKey {
  @PrimaryId()
  id: number;

  @Index()
  @BigIntColumn()
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  user?: User;

  @Column({ length: 255 })
  name: string;

  /** SHA-256 of the key, in hexadecimal. */
  @Column({ length: 64 })
  keyHash: string;

  @TimeColumn()
  created: number;

  /** What the key may do, separated by spaces; null if it may do whatever the user may. */
  @Column({ length: 1000, type: 'varchar', nullable: true })
  scopes: string | null;

  /** Ids of the only projects that the key reaches, separated by spaces; null if it reaches all of the user's. */
  @Column({ length: 1000, type: 'varchar', nullable: true })
  projectIds: string | null;

  /** The name of the agent that uses the key; null if its user does. */
  @Column({ length: 100, type: 'varchar', nullable: true })
  agent: string | null;

  /** From this time on, the key is refused. */
  @TimeColumn({ nullable: true })
  expires: number | null;

  /** Updated at most once a minute; null until the first use. */
  @TimeColumn({ nullable: true })
  lastUsed: number | null;
}
