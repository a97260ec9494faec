import { Injectable } from '@nestjs/common';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../access/access';
import { type Caller } from '../access/caller';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { StarSubjectsService } from './star-subjects.service';

/** A star that the path identifies. */
export interface StarResource extends AccessResource {
  id: number;
}

/** Loads the star of `/stars/{starId}`; stars on subjects that the caller cannot see are not found. */
@Injectable()
export class StarLoader implements ResourceLoader<StarResource> {
  constructor(private readonly subjects: StarSubjectsService) {}

  async load({ starId }: PathParameters, caller: Caller): Promise<StarResource> {
    const id = parseId(starId);
    const found = id === undefined ? undefined : await this.subjects.findStar(caller, id);
    if (!found) throw new NoResourceError('star');
    return found;
  }
}
