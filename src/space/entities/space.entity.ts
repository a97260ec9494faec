import { Column, Entity, PrimaryColumn } from 'typeorm';
import { BigIntColumn, tableOptions, TimeColumn } from '../../database/columns';

/** The one space that a service holds; its row is the sign that the first start is done. */
@Entity('space', tableOptions)
export class Space {
  static readonly ID = 1;

  @PrimaryColumn({ type: 'integer' })
  id: number;

  @Column({ length: 10 })
  spaceKey: string;

  @Column({ length: 255 })
  name: string;

  /** Bytes that all uploaded files take. */
  @BigIntColumn()
  usedBytes: number;

  @TimeColumn()
  created: number;
}
