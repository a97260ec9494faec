import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { SpaceService } from '../../space/space.service';
import { type IconSubject } from '../icons.service';

/** The id of the only space. */
export const SPACE_ID = 1;

/** The icon of the space. */
@Injectable()
export class SpaceIconSubject implements IconSubject {
  readonly type = 'space';

  constructor(private readonly space: SpaceService) {}

  async nameOf(): Promise<string> {
    return (await this.space.get()).name;
  }

  lock(manager: EntityManager): Promise<void> {
    return this.space.lock(manager);
  }
}
