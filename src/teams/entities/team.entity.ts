import { Column, Entity, Index } from 'typeorm';
import { LockVersionColumn, PrimaryId, tableOptions } from '../../database/schema/columns';
import { Edited } from '../../users/entities/authored.entity';

/** A group of users who are members of projects together. */
@Entity('team', tableOptions)
@Index(['createdUserId'])
export class Team extends Edited {
  @PrimaryId()
  id: number;

  @Column({ length: 255 })
  name: string;

  /** The position in the list of teams; a new team comes last. */
  @Column({ type: 'integer' })
  displayOrder: number;

  @LockVersionColumn()
  lockVersion?: number;
}
