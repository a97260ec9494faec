import { Injectable } from '@nestjs/common';
import { type Caller } from '../../access/caller';
import { ActivitiesService } from '../../activities/activities.service';
import { ActivityType } from '../../activities/activity-type';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { type SharedFileDto } from '../../shared-files/dto/shared-file.dto';
import { toSharedFileContent } from '../../shared-files/shared-file.mapper';
import { SharedFileLinksService } from '../../shared-files/shared-file-links.service';
import { WikiRepository } from '../data/wiki.repository';
import { wikiActivity } from '../wiki-activity';
import { type WikiResource } from '../wiki.loader';
import { WIKI_SHARED_FILES } from './wiki-shared-file-links';
import { type WikiSharedFileResource } from './wiki-shared-file.loader';

/** Manages the shared files linked to wiki pages. */
@Injectable()
export class WikiSharedFilesService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly links: SharedFileLinksService,
    private readonly wikis: WikiRepository,
    private readonly activities: ActivitiesService,
  ) {}

  /** Returns the files linked to a page, ordered by id. */
  list({ id }: WikiResource): Promise<SharedFileDto[]> {
    return this.links.list(WIKI_SHARED_FILES, id);
  }

  /**
   * Links files to a page, and records activity 6 if the links change.
   * @returns the files, in the order requested
   * @throws InvalidRequestError for a file that is not in the project; none is linked
   */
  link(wiki: WikiResource, caller: Caller, fileIds: readonly number[]): Promise<SharedFileDto[]> {
    return this.transactions.run(async (manager) => {
      const state = await this.wikis.lock(manager, wiki.id);
      const { files, added } = await this.links.link(manager, WIKI_SHARED_FILES, wiki, fileIds);
      if (added.length === 0) return files;
      await this.activities.record(manager, {
        projectId: wiki.projectId,
        type: ActivityType.WikiUpdated,
        content: wikiActivity(wiki.id, state, { shared_files: added.map(toSharedFileContent) }),
        author: caller,
      });
      return files;
    });
  }

  /** Unlinks a file and returns it. */
  unlink({ id, sharedFileId }: WikiSharedFileResource): Promise<SharedFileDto> {
    return this.transactions.run((manager) =>
      this.links.unlink(manager, WIKI_SHARED_FILES, id, sharedFileId),
    );
  }
}
