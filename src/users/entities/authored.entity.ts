import { Index, JoinColumn, ManyToOne } from 'typeorm';
import { BigIntColumn, TimeColumn } from '../../database/columns';
import { User } from './user.entity';

/** Who made a row, and when. What finds it by its author is the entity's own index. */
export abstract class Authored {
  @BigIntColumn()
  createdUserId: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'created_user_id' })
  createdUser?: User;

  @TimeColumn()
  created: number;
}

/** The same, and who changed it last. */
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
