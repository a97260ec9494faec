import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { TeamReaderService } from '../../teams/team-reader.service';
import { TeamsService } from '../../teams/teams.service';
import { type IconSubject, IconsService } from '../icons.service';

/** The icons of teams, removed together with the teams. */
@Injectable()
export class TeamIconSubject implements IconSubject, OnModuleInit {
  readonly type = 'team';

  constructor(
    private readonly reader: TeamReaderService,
    private readonly teams: TeamsService,
    private readonly icons: IconsService,
  ) {}

  onModuleInit(): void {
    this.teams.onDeleted(async (manager, id) => {
      await this.icons.removeOf(manager, this.type, id);
    });
  }

  async nameOf(id: number): Promise<string> {
    return (await this.reader.get(id)).name;
  }

  lock(manager: EntityManager, id: number): Promise<unknown> {
    return this.teams.lock(manager, id);
  }
}
