import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { UserAdministrationService } from '../../users/user-administration.service';
import { UsersService } from '../../users/users.service';
import { type IconSubject, IconsService } from '../icons.service';

/** The icons of users, removed when the users leave. */
@Injectable()
export class UserIconSubject implements IconSubject, OnModuleInit {
  readonly type = 'user';

  constructor(
    private readonly users: UsersService,
    private readonly administration: UserAdministrationService,
    private readonly icons: IconsService,
  ) {}

  onModuleInit(): void {
    this.administration.onLeaving(async (manager, id) => {
      await this.icons.removeOf(manager, this.type, id);
    });
  }

  async nameOf(id: number): Promise<string> {
    return (await this.users.get(id)).name;
  }

  lock(manager: EntityManager, id: number): Promise<void> {
    return this.users.lock(manager, id);
  }
}
