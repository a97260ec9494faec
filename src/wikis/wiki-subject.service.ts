import { Injectable, type OnModuleInit } from '@nestjs/common';
import { StarSubjectsService } from '../stars/star-subjects.service';
import { WikisService } from './wikis.service';

/** Registers wiki pages as subjects of stars. */
@Injectable()
export class WikiSubjectService implements OnModuleInit {
  constructor(
    private readonly stars: StarSubjectsService,
    private readonly wikis: WikisService,
  ) {}

  onModuleInit(): void {
    this.stars.register({
      field: 'wikiId',
      find: (caller, id) => this.wikis.findStarrable(caller, id),
    });
  }
}
