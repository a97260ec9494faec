import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ActivitiesService } from '../activities/activities.service';
import { ActivityType } from '../activities/activity-type';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { CommentsService } from '../comments/comments.service';
import { type Starrable, StarsService } from '../comments/stars.service';
import { Environment } from '../config/environment';
import { isDuplicate, refusingGone } from '../database/database-errors';
import { insertRow, updateRow } from '../database/rows';
import { selectForUpdate, type StatementRunner } from '../database/statements';
import { TransactionsService } from '../database/transactions.service';
import { NoResourceError } from '../errors/domain-errors';
import { ProjectCountersService } from '../projects/project-counters.service';
import { findVisible } from '../projects/project-resource';
import { ProjectsService } from '../projects/projects.service';
import { type Caller } from '../access/caller';
import { UsersService } from '../users/users.service';
import { contentDiff } from './content-diff';
import { type AddWikiDto } from './dto/add-wiki.dto';
import { type UpdateWikiDto } from './dto/update-wiki.dto';
import { type WikiDto } from './dto/wiki.dto';
import { WikiVersion } from './entities/wiki-version.entity';
import { Wiki } from './entities/wiki.entity';
import { tagsOf } from './tags-of';
import { WIKI_FILES } from './wiki-files';
import { WikiHistoryRemovalService } from './wiki-history-removal.service';
import { toWikiDto, WIKI_COLUMNS, wikiPath, type WikiRow } from './wiki.mapper';
import { type WikiResource } from './wiki.loader';
import { WikiTagsService } from './wiki-tags.service';

/** A wiki page to be written. */
export type NewWiki = Pick<Wiki, 'projectId' | 'name' | 'content' | 'createdUserId'>;

/** How often a write is begun again when others add its new tags at the same time. */
const MAX_TAGGING_ATTEMPTS = 10;

/** Contents longer than this, in characters, are not kept again with a version that has changed the name alone. */
const MAX_COPIED_LENGTH = 1024;

/** Wiki pages. */
@Injectable()
export class WikisService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly environment: Environment,
    private readonly counters: ProjectCountersService,
    private readonly projects: ProjectsService,
    private readonly users: UsersService,
    private readonly attachments: AttachmentLinksService,
    private readonly comments: CommentsService,
    private readonly stars: StarsService,
    private readonly tags: WikiTagsService,
    private readonly history: WikiHistoryRemovalService,
    private readonly activities: ActivitiesService,
  ) {}

  /**
   * One page.
   * @throws NoResourceError
   */
  async get(id: number, runner: StatementRunner = this.dataSource): Promise<WikiDto> {
    const [row] = await runner.query<WikiRow[]>(`SELECT ${WIKI_COLUMNS} FROM wiki w WHERE w.id = ?`, [id]);
    if (!row) throw new NoResourceError('wiki page');
    const attachments = await this.attachments.listByOwners(WIKI_FILES, [id], runner);
    const stars = await this.stars.listByThreads([row.threadId], runner);
    return toWikiDto(row, {
      tags: await this.tags.listOfPage(id, runner),
      attachments: attachments.get(id) ?? [],
      stars: stars.get(row.threadId) ?? [],
      users: await this.users.findByIds([row.createdUserId, row.updatedUserId], runner),
    });
  }

  /** A page that the caller can put a star on, or undefined. */
  async findStarrable(caller: Caller, wikiId: number): Promise<Starrable | undefined> {
    const row = await findVisible<Pick<WikiRow, 'threadId' | 'name'>>(this.dataSource, caller, {
      select: 'w.thread_id AS threadId, w.name AS name',
      from: 'wiki w',
      projectId: 'w.project_id',
      where: 'w.id = ?',
      parameters: [wikiId],
    });
    if (!row) return undefined;
    const url = this.environment.webUrl(wikiPath(wikiId));
    return { threadId: row.threadId, title: row.name, url };
  }

  /**
   * Adds a page, and writes activity 5.
   * @throws InvalidRequestError for a project that the caller may not see, ResourceOverflowError when it has too many pages
   */
  async create(caller: Caller, { projectId, name, content }: AddWikiDto): Promise<WikiDto> {
    await this.projects.getUsable(caller, projectId, 'projectId');
    const work = this.runTagging(async (manager) => {
      const wikiId = await this.add(manager, { projectId, name, content, createdUserId: caller.id });
      await this.activities.record(manager, {
        projectId,
        type: ActivityType.WikiCreated,
        content: { id: wikiId, name, content },
        createdUserId: caller.id,
        created: Date.now(),
      });
      return wikiId;
    });
    return this.get(await refusingGone(work, 'projectId', `There is no project ${projectId}.`));
  }

  /** Adds a page with its first version and its tags; tells nobody. */
  async add(manager: EntityManager, wiki: NewWiki): Promise<number> {
    const { projectId, name, content, createdUserId } = wiki;
    await this.counters.take(manager, projectId, 'wiki');
    const threadId = await this.comments.addThread(manager, projectId);
    const created = Date.now();
    const wikiId = await insertRow(manager, Wiki, {
      ...wiki,
      threadId,
      version: 1,
      created,
      updatedUserId: createdUserId,
      updated: created,
    });
    await insertRow(manager, WikiVersion, { wikiId, version: 1, name, content, createdUserId, created });
    await this.tags.add(manager, { id: wikiId, projectId }, tagsOf(name));
    return wikiId;
  }

  /** Changes name and content. What changes anything makes a version, and writes activity 6. */
  async update(wiki: WikiResource, caller: Caller, changes: UpdateWikiDto): Promise<WikiDto> {
    await this.runTagging(async (manager) => {
      const before = await this.lock(manager, wiki.id);
      const { name = before.name, content = before.content } = changes;
      if (name === before.name && content === before.content) return;
      const version = before.version + 1;
      const created = Date.now();
      const createdUserId = caller.id;
      await updateRow(manager, Wiki, wiki.id, {
        name,
        content,
        version,
        updatedUserId: createdUserId,
        updated: created,
      });
      const contentVersion =
        content === before.content && content.length > MAX_COPIED_LENGTH
          ? await contentVersionOf(manager, wiki.id, before.version)
          : null;
      await insertRow(manager, WikiVersion, {
        wikiId: wiki.id,
        version,
        name,
        content: contentVersion === null ? content : '',
        contentVersion,
        createdUserId,
        created,
      });
      await this.moveTags(manager, wiki, tagsOf(before.name), tagsOf(name));
      await this.activities.record(manager, {
        projectId: wiki.projectId,
        type: ActivityType.WikiUpdated,
        content: {
          id: wiki.id,
          name,
          content,
          diff: contentDiff(before.content, content),
          version,
          attachments: [],
          shared_files: [],
        },
        createdUserId,
        created,
      });
    });
    return this.get(wiki.id);
  }

  /** Deletes a page with all that belongs to it, gives what it was, and writes activity 7. */
  async delete({ id, projectId, threadId }: WikiResource, caller: Caller): Promise<WikiDto> {
    return this.transactions.run(async (manager) => {
      await this.lock(manager, id);
      const wiki = await this.get(id, manager);
      await this.attachments.detachAll(manager, WIKI_FILES, [id]);
      await manager.query('DELETE FROM wiki WHERE id = ?', [id]);
      await this.history.remove(manager, id);
      await this.comments.removeThread(manager, threadId);
      await this.counters.giveBack(manager, projectId, 'wiki');
      await this.activities.record(manager, {
        projectId,
        type: ActivityType.WikiDeleted,
        content: { id, name: wiki.name, content: wiki.content },
        createdUserId: caller.id,
        created: Date.now(),
      });
      return wiki;
    });
  }

  /**
   * Takes a page for the rest of the transaction and gives what it is now.
   * @throws NoResourceError when it has just been deleted
   */
  async lock(manager: EntityManager, id: number): Promise<Pick<WikiRow, 'name' | 'content' | 'version'>> {
    const [row] = await selectForUpdate<Pick<WikiRow, 'name' | 'content' | 'version'>>(
      manager,
      'SELECT name, content, version FROM wiki WHERE id = ?',
      [id],
    );
    if (!row) throw new NoResourceError('wiki page');
    return row;
  }

  private async moveTags(
    manager: EntityManager,
    wiki: WikiResource,
    before: readonly string[],
    after: readonly string[],
  ): Promise<void> {
    const isSame = before.length === after.length && before.every((tag) => after.includes(tag));
    if (isSame) return;
    if (before.length > 0) await this.tags.clear(manager, wiki.id);
    await this.tags.add(manager, wiki, after);
  }

  /** Of two writes that add a tag at once, the second meets its key; run again, it finds the tag. */
  private async runTagging<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.transactions.run(work);
      } catch (error) {
        if (attempt >= MAX_TAGGING_ATTEMPTS || !isDuplicate(error)) throw error;
      }
    }
  }
}

/** The version that has a version's content; null when there is none. */
async function contentVersionOf(
  manager: EntityManager,
  wikiId: number,
  version: number,
): Promise<number | null> {
  const [row] = await manager.query<{ contentVersion: number | null }[]>(
    'SELECT content_version AS contentVersion FROM wiki_version WHERE wiki_id = ? AND version = ?',
    [wikiId, version],
  );
  return row ? (row.contentVersion ?? version) : null;
}
