import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ActivitiesService } from '../activities/activities.service';
import { ActivityType } from '../activities/activity-type';
import { toAttachedFileDto } from '../attachments/attached-file.mapper';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { attachedFiles } from '../attachments/data/attachment-link.repository';
import { AuditLogService } from '../audit-log/audit-log.service';
import { CommentsService } from '../comments/comments.service';
import { Environment } from '../config/environment';
import { invalidIfDeleted } from '../database/connections/database-errors';
import { selectTogether } from '../database/sql/select-together';
import { type EntityRunner } from '../database/sql/statements';
import { TransactionsService } from '../database/transactions/transactions.service';
import { NoResourceError } from '../errors/domain-errors';
import { ProjectCountersService } from '../projects/project-counters.service';
import { ProjectsService } from '../projects/projects.service';
import { WikiLettersService } from './wiki-letters.service';
import { linkedFiles } from '../shared-files/data/shared-file-link.repository';
import { toSharedFileContent, toSharedFileDto } from '../shared-files/shared-file.mapper';
import { starsOfThreads } from '../stars/data/star-sql';
import { toStarDto } from '../stars/star.mapper';
import { type Starrable } from '../stars/stars.service';
import { type AuditedCaller, type Caller } from '../access/caller';
import { inPast, originOf, type PastChange } from '../access/past-change';
import { PastChangesService } from '../users/past-changes.service';
import { UsersService } from '../users/users.service';
import { userIdsIn } from '../users/user-ids';
import { WIKI_FILES } from './attachments/wiki-files';
import { WikiRepository } from './data/wiki.repository';
import { type AddWikiDto } from './dto/add-wiki.dto';
import { type UpdateWikiDto } from './dto/update-wiki.dto';
import { type WikiDto } from './dto/wiki.dto';
import { type Wiki } from './entities/wiki.entity';
import { contentDiff } from './history/content-diff';
import { WikiHistoryRemovalService } from './history/wiki-history-removal.service';
import { WikiHistoryService } from './history/wiki-history.service';
import { WIKI_SHARED_FILES } from './shared-files/wiki-shared-file-links';
import { parseTaggedName } from './tags/tagged-name';
import { WikiTagsService } from './tags/wiki-tags.service';
import { wikiActivity } from './wiki-activity';
import { toWikiDto, wikiPath } from './wiki.mapper';
import { type WikiResource } from './wiki.loader';

/** A wiki page to add, with the names of its tags. */
export interface NewWiki extends Pick<Wiki, 'projectId' | 'name' | 'content' | 'createdUserId'> {
  tags?: readonly string[];
}

/** Manages wiki pages. */
@Injectable()
export class WikisService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly wikis: WikiRepository,
    private readonly environment: Environment,
    private readonly counters: ProjectCountersService,
    private readonly projects: ProjectsService,
    private readonly users: UsersService,
    private readonly attachments: AttachmentLinksService,
    private readonly comments: CommentsService,
    private readonly tags: WikiTagsService,
    private readonly history: WikiHistoryService,
    private readonly historyRemoval: WikiHistoryRemovalService,
    private readonly activities: ActivitiesService,
    private readonly auditLog: AuditLogService,
    private readonly past: PastChangesService,
    private readonly letters: WikiLettersService,
  ) {}

  /**
   * Returns one page.
   * @throws NoResourceError when it does not exist
   */
  async get(id: number, runner: EntityRunner = this.dataSource): Promise<WikiDto> {
    const row = await this.wikis.findById(id, runner);
    if (!row) throw new NoResourceError('wiki page');
    const { files, sharedFiles, stars } = await selectTogether(runner, {
      files: attachedFiles(WIKI_FILES, [id]),
      sharedFiles: linkedFiles(WIKI_SHARED_FILES, [id]),
      stars: starsOfThreads([row.threadId]),
    });
    const users = await this.users.findByIds(userIdsIn([row], files, sharedFiles, stars), runner);
    return toWikiDto(row, {
      tags: await this.tags.listOfPage(id, runner),
      attachments: files.map((file) => toAttachedFileDto(file, users)),
      sharedFiles: sharedFiles.map((file) => toSharedFileDto(file, users)),
      stars: stars.map((star) => toStarDto(star, users)),
      users,
    });
  }

  /** Returns a page as the subject of a star, or undefined when it does not exist or the caller cannot see it. */
  async findStarrable(caller: Caller, wikiId: number): Promise<Starrable | undefined> {
    const title = await this.wikis.findVisibleTitle(caller, wikiId);
    if (!title) return undefined;
    const url = this.environment.webUrl(wikiPath(wikiId));
    const { threadId, projectId, createdUserId: authorId, name } = title;
    return { threadId, projectId, authorId, title: name, url };
  }

  /**
   * Adds a page, whose name may contain tags, and records activity 5.
   * @param past when and by whom it was added and edited; undefined for a page of today
   * @throws InvalidRequestError for a project that the caller cannot see, ResourceOverflowError when it has too many pages
   */
  async create(
    caller: Caller,
    { projectId, name: taggedName, content, mailNotify }: AddWikiDto,
    past?: PastChange,
  ): Promise<WikiDto> {
    await this.projects.getUsable(caller, projectId, 'projectId');
    const { name, tags } = parseTaggedName(taggedName);
    const add = inPast(past, async (manager) => {
      const wikiId = await this.add(manager, { projectId, name, tags, content, createdUserId: caller.id });
      await this.activities.record(manager, {
        projectId,
        type: ActivityType.WikiCreated,
        // The whole content is new, so a diff adds nothing.
        content: wikiActivity(wikiId, { name, content, version: 1 }),
        author: caller,
      });
      await this.past.record(manager, { action: 'wiki.import', subject: { id: wikiId, name }, projectId });
      if (mailNotify) await this.letters.add(manager, { id: wikiId, projectId }, caller.id, true);
      return wikiId;
    });
    const work = this.tags.runTagging(add);
    return this.get(await invalidIfDeleted(work, 'projectId', `There is no project ${projectId}.`));
  }

  /** Adds a page with its first version and its tags; emits no event. */
  async add(manager: EntityManager, { tags = [], ...wiki }: NewWiki): Promise<number> {
    const { projectId, name, content } = wiki;
    await this.counters.take(manager, projectId, 'wiki');
    const threadId = await this.comments.addThread(manager, projectId);
    const { author, created, updatedUserId, updated } = originOf(manager, { id: wiki.createdUserId });
    const wikiId = await this.wikis.insert(manager, {
      ...wiki,
      threadId,
      version: 1,
      createdUserId: author.id,
      created,
      updatedUserId,
      updated,
    });
    // A page of the past comes with its last content, which is that of its last edit.
    const version = { createdUserId: updatedUserId, created: updated };
    await this.history.add(manager, { wikiId, version: 1, name, content, ...version });
    await this.tags.add(manager, { id: wikiId, projectId }, tags);
    return wikiId;
  }

  /**
   * Updates the name, the tags in it, and the content. A name without tags keeps those of the page. Any change adds a version and records
   * activity 6.
   */
  async update(wiki: WikiResource, caller: Caller, changes: UpdateWikiDto): Promise<WikiDto> {
    await this.tags.runTagging(async (manager) => {
      const before = await this.wikis.lock(manager, wiki.id);
      const { content = before.content } = changes;
      const { name = before.name, tags } = changes.name === undefined ? {} : parseTaggedName(changes.name);
      const isTagged = tags !== undefined && (await this.tags.replace(manager, wiki, tags));
      if (name === before.name && content === before.content && !isTagged) return;
      const after = { name, content, version: before.version + 1 };
      const created = Date.now();
      const createdUserId = caller.id;
      await this.wikis.update(manager, wiki.id, { ...after, updatedUserId: createdUserId, updated: created });
      await this.history.add(manager, { wikiId: wiki.id, ...after, createdUserId, created }, before);
      await this.activities.record(manager, {
        projectId: wiki.projectId,
        type: ActivityType.WikiUpdated,
        content: wikiActivity(wiki.id, after, { diff: await contentDiff(before.content, content) }),
        author: caller,
        created,
      });
      if (changes.mailNotify) await this.letters.add(manager, wiki, caller.id, false);
    });
    return this.get(wiki.id);
  }

  /** Deletes a page with everything that belongs to it, records activity 7, and returns the page's last state. */
  async delete({ id, projectId, threadId }: WikiResource, caller: AuditedCaller): Promise<WikiDto> {
    return this.transactions.run(async (manager) => {
      const { version } = await this.wikis.lock(manager, id);
      const wiki = await this.get(id, manager);
      await this.attachments.detachAll(manager, WIKI_FILES, [id]);
      await this.wikis.delete(manager, [id]);
      await this.historyRemoval.remove(manager, id);
      await this.comments.removeThread(manager, threadId);
      await this.counters.giveBack(manager, projectId, 'wiki');
      await this.activities.record(manager, {
        projectId,
        type: ActivityType.WikiDeleted,
        content: wikiActivity(
          id,
          { name: wiki.name, content: wiki.content, version },
          {
            attachments: wiki.attachments.map((file) => ({ id: file.id, name: file.name, size: file.size })),
            shared_files: wiki.sharedFiles.map(toSharedFileContent),
          },
        ),
        author: caller,
      });
      await this.auditLog.record(manager, caller, {
        action: 'wiki.delete',
        subject: { id, name: wiki.name },
        projectId,
      });
      return wiki;
    });
  }
}
