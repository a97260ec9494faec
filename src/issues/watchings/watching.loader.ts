import { Injectable } from '@nestjs/common';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../../access/access';
import { type Caller } from '../../access/caller';
import { NoResourceError } from '../../errors/domain-errors';
import { parseId } from '../../http/request/path-id';
import { WatchingRepository } from '../data/watching.repository';

/** A watching that the path identifies. */
export interface WatchingResource extends AccessResource {
  id: number;
  issueId: number;
}

/** Loads the watching of `/watchings/{watchingId}`. Watchings of other users, and of issues that the caller cannot see, are not found. */
@Injectable()
export class WatchingLoader implements ResourceLoader<WatchingResource> {
  constructor(private readonly watchings: WatchingRepository) {}

  async load({ watchingId }: PathParameters, caller: Caller): Promise<WatchingResource> {
    const id = parseId(watchingId);
    const found = id === undefined ? undefined : await this.watchings.findVisible(caller, id);
    if (!found) throw new NoResourceError('watching');
    return { ...found, ownerId: caller.id };
  }
}
