import { isEmbedded } from '../../../src/database/sql/statements';
import { SearchIndexBuilderService } from '../../../src/search-index/search-index-builder.service';
import { type SeedDatabase } from '../../support/seed-database';
import { type Amounts, COMMENTS_PER_ISSUE, PROJECTS } from '../population';
import { RESOURCES } from '../resources';
import { type Parameters } from '../seeded-resource';
import { seedAttachments } from './attachments';
import { seedCustomFields } from './custom-fields';
import { type Frame, type FrameProject, seedFrame } from './frame';
import { commentId, issueId, seedIssues } from './issues';
import { REPOSITORY, seedPullRequests } from './pull-requests';
import { seedWatchings } from './watchings';
import { seedDeliveries } from './webhooks';

/** Fills a database for the lists, and returns the values for their parameters. */
export async function seedLists(database: SeedDatabase, amounts: Amounts): Promise<Parameters> {
  const frame = await seedFrame(database, amounts);
  await seedIssues(database, frame);
  const customFields = await seedCustomFields(database, frame);
  await seedPullRequests(database, frame);
  for (const { seed } of RESOURCES) await seed(database, frame);
  await seedAttachments(database, frame);
  await seedWatchings(database, frame);
  const webhookId = await seedDeliveries(database, frame);
  await database.service(SearchIndexBuilderService).build({ settledMs: 0, minChanges: 1 });
  await gatherStatistics(database);
  const own = RESOURCES.map(({ parameters }) => parameters);
  return Object.assign({}, parametersOf(frame, webhookId), customFields, ...own) as Parameters;
}

/**
 * Updates the statistics of a server, which it would do itself some seconds after many rows have changed; the embedded database
 * never does.
 */
function gatherStatistics(database: SeedDatabase): Promise<void> {
  return database.write(async (manager) => {
    if (isEmbedded(manager.dataSource)) return;
    const tables = manager.dataSource.entityMetadatas.map(({ tableName }) => `\`${tableName}\``);
    await manager.query(`ANALYZE TABLE ${tables.join(', ')}`);
  });
}

function parametersOf({ population, projects }: Frame, webhookId: number): Parameters {
  const { amounts } = population;
  const [first] = projects as [FrameProject];
  return {
    projectIdOrKey: first.key,
    projectId: first.id,
    issueIdOrKey: `${first.key}-1`,
    issueTypeId: first.issueTypes[0]?.id ?? 0,
    categoryId: first.categories[0]?.id ?? 0,
    versionId: first.versions[0]?.id ?? 0,
    parentIssueId: issueId(PROJECTS),
    issueId: issueId(0),
    // On the first issue, with a notification.
    commentId: commentId(0),
    middleCommentId: commentId(amounts.comments / 2),
    middleIssueOffset: amounts.issues / 2,
    middleActivityId: (amounts.issues * (1 + COMMENTS_PER_ISSUE)) / 2,
    repoIdOrName: REPOSITORY,
    number: 1,
    webhookId,
    userId: population.userId('busy'),
    administratorId: population.userId('administrator'),
    memberOfTenId: population.userId('memberOfTen'),
    memberId: population.userId('memberOfOne'),
    strangerId: population.userId('stranger'),
  };
}
