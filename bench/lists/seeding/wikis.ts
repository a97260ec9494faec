import { type EntityManager } from 'typeorm';
import { CommentThread } from '../../../src/comments/entities/comment-thread.entity';
import { Star } from '../../../src/stars/entities/star.entity';
import { WikiTag } from '../../../src/wikis/entities/wiki-tag.entity';
import { WikiTagging } from '../../../src/wikis/entities/wiki-tagging.entity';
import { WikiVersion } from '../../../src/wikis/entities/wiki-version.entity';
import { Wiki } from '../../../src/wikis/entities/wiki.entity';
import { EPOCH, insertAll, type SeedDatabase, SENTENCE } from '../../support/seed-database';
import { empty, list, one } from '../list';
import { PROJECTS } from '../population';
import { type SeededResource } from '../seeded-resource';
import { type Frame, type FrameProject } from './frame';

const TAGS = 4;
const STARS = 10;

/** Adds wiki pages with tags and two versions each; the first page has many, and stars. */
function seedWikis(database: SeedDatabase, frame: Frame): Promise<void> {
  return database.write(async (manager) => {
    await addPages(manager, frame);
    await addVersions(manager, frame);
    await addTags(manager, frame);
    await insertAll(manager, Star, (frame.population.members[0] ?? []).slice(0, STARS), (presenterId) => ({
      commentId: null,
      threadId: wikiThreadId(frame, 0),
      comment: '',
      url: '/alias/wiki/1',
      title: 'A useful page',
      presenterId,
      created: EPOCH,
    }));
    for (const { id } of frame.projects) await moveCounter(manager, id);
  });
}

export const wikiId = (wiki: number): number => wiki + 1;

/** Thread ids of wiki pages follow those of pull requests. */
const wikiThreadId = ({ population: { amounts } }: Frame, wiki: number): number =>
  amounts.issues + amounts.pullRequests + wiki + 1;

const pagesOf = ({ population }: Frame): number[] =>
  Array.from({ length: population.amounts.wikis }, (_, index) => index);

const projectOf = ({ projects }: Frame, wiki: number): FrameProject =>
  projects[wiki % PROJECTS] as FrameProject;

const tagOf = (wiki: number): number => Math.floor(wiki / PROJECTS) % TAGS;

const nameOf = (wiki: number): string => `Page ${wiki + 1}`;

const versionsOf = ({ population }: Frame, wiki: number): number =>
  wiki === 0 ? population.amounts.wikiVersions : 2;

async function addPages(manager: EntityManager, frame: Frame): Promise<void> {
  const pages = pagesOf(frame);
  await insertAll(manager, CommentThread, pages, (wiki) => ({
    id: wikiThreadId(frame, wiki),
    projectId: projectOf(frame, wiki).id,
  }));
  await insertAll(manager, Wiki, pages, (wiki) => {
    const createdUserId = frame.population.author(wiki % PROJECTS, wiki);
    const created = EPOCH + wiki * 1000;
    return {
      id: wikiId(wiki),
      projectId: projectOf(frame, wiki).id,
      threadId: wikiThreadId(frame, wiki),
      name: nameOf(wiki),
      content: SENTENCE.repeat(5),
      version: versionsOf(frame, wiki),
      createdUserId,
      created,
      updatedUserId: createdUserId,
      updated: created,
    };
  });
}

async function addVersions(manager: EntityManager, frame: Frame): Promise<void> {
  const versions = pagesOf(frame).flatMap((wiki) =>
    Array.from({ length: versionsOf(frame, wiki) }, (_, index) => ({ wiki, version: index + 1 })),
  );
  await insertAll(manager, WikiVersion, versions, ({ wiki, version }) => ({
    wikiId: wikiId(wiki),
    version,
    name: nameOf(wiki),
    content: SENTENCE.repeat(5),
    createdUserId: frame.population.author(wiki % PROJECTS, wiki),
    created: EPOCH + wiki * 1000 + version,
  }));
}

async function addTags(manager: EntityManager, frame: Frame): Promise<void> {
  const tags = frame.projects.flatMap(({ id }) =>
    Array.from({ length: TAGS }, (_, tag) => ({ projectId: id, tag })),
  );
  await insertAll(manager, WikiTag, tags, ({ projectId, tag }) => ({ projectId, name: `tag${tag + 1}` }));
  const rows = await manager.query<{ id: number; projectId: number; name: string }[]>(
    'SELECT id, project_id AS projectId, name FROM wiki_tag',
  );
  const idsByName = new Map(rows.map((row) => [`${row.projectId} ${row.name}`, row.id]));
  await insertAll(manager, WikiTagging, pagesOf(frame), (wiki) => ({
    wikiId: wikiId(wiki),
    tagId: idsByName.get(`${projectOf(frame, wiki).id} tag${tagOf(wiki) + 1}`),
  }));
}

async function moveCounter(manager: EntityManager, projectId: number): Promise<void> {
  await manager.query(
    `UPDATE project_counter SET used = (SELECT COUNT(*) FROM wiki WHERE project_id = ?)
      WHERE project_id = ? AND name = 'wiki'`,
    [projectId, projectId],
  );
}

export const wikis: SeededResource = {
  seed: seedWikis,
  parameters: { wikiId: wikiId(0) },
  lists: [
    list('listWikis', 'projectIdOrKey={projectIdOrKey}'),
    list('listWikis', 'projectIdOrKey={projectIdOrKey}&keyword=Page', one),
    list('listWikis', 'projectIdOrKey={projectIdOrKey}&keyword=nowhere', empty),
    list('countWikis', 'projectIdOrKey={projectIdOrKey}'),
    list('listWikiTags', 'projectIdOrKey={projectIdOrKey}'),
    list('listWikiHistory'),
    list('listWikiHistory', 'order=asc'),
    list('listWikiStars'),
    list('listWikiAttachments'),
    list('listWikiSharedFiles'),
  ],
};
