import { Index, ManyToOne } from 'typeorm';
import { BigIntColumn, TimeColumn } from '../../database/schema/columns';
import { User } from './user.entity';

/** The author and the creation time of a row. Each entity declares an index on the author if it needs one. */
export abstract class Authored {
  @BigIntColumn()
  createdUserId: number;

  @ManyToOne(() => User)
  createdUser?: User;

  @TimeColumn()
  created: number;
}

/** Adds the user and the time of the last change. */
export abstract class Edited extends Authored {
  @Index()
  @BigIntColumn()
  updatedUserId: number;

  @ManyToOne(() => User)
  updatedUser?: User;

  @TimeColumn()
  updated: number;
}
