import { Index, JoinColumn, ManyToOne } from 'typeorm';
import { BigIntColumn, TimeColumn } from '../../database/columns';
import { User } from './user.entity';

/** Who made a row, and when. An index on the author is left to each entity. */
export abstract class Authored {
  @BigIntColumn()
  createdUserId: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'created_user_id' })
  createdUser?: User;

  @TimeColumn()
  created: number;
}

/** Also who changed the row last, and when. */
export abstract class Edited extends Authored {
  @Index()
  @BigIntColumn()
  updatedUserId: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'updated_user_id' })
  updatedUser?: User;

  @TimeColumn()
  updated: number;
}
