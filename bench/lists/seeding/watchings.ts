import { RelatedIssue } from '../../../src/issues/entities/related-issue.entity';
import { Watching } from '../../../src/issues/entities/watching.entity';
import { RecentlyViewed } from '../../../src/views/entities/recently-viewed.entity';
import { ViewKind } from '../../../src/views/view-kind';
import { EPOCH, insertAll, type SeedDatabase } from '../../support/seed-database';
import { scatter } from '../population';
import { type Frame } from './frame';
import { issueId } from './issues';
import { wikiId } from './wikis';

/** Maximum numbers of watchings of one user, and of relations of one issue. */
const WATCHINGS = 1000;
const RELATED = 50;
const VIEWS = 100;
/** Small enough for the last related issue to exist in the smallest size; one of them is in the first project. */
const BETWEEN_RELATED = 19;

/** Adds watchings, relations and views: the maximum for the users and issues in the measured lists, and some for the others. */
export async function seedWatchings(database: SeedDatabase, frame: Frame): Promise<void> {
  await seedWatched(database, frame);
  await seedRelated(database, frame);
  await seedViews(database, frame);
}

function seedWatched(database: SeedDatabase, { population, projects }: Frame): Promise<void> {
  const { issues } = population.amounts;
  const pairs = new Map<string, { userId: number; issue: number }>();
  const watch = (userId: number, issue: number): unknown =>
    pairs.set(`${userId} ${issue}`, { userId, issue });
  for (let issue = 0; issue < issues; issue++) {
    watch(population.member(population.projectOfIssue(issue), issue, 41), issue);
  }
  const step = Math.max(1, Math.floor(issues / WATCHINGS));
  for (const name of ['administrator', 'memberOfTen'] as const) {
    for (let issue = 0; issue < issues; issue += step) watch(population.userId(name), issue);
  }
  return database.write((manager) =>
    insertAll(manager, Watching, [...pairs.values()], ({ userId, issue }) => ({
      userId,
      issueId: issueId(issue),
      projectId: projects[population.projectOfIssue(issue)]?.id ?? 0,
      note: '',
      alreadyRead: scatter(issue, 42) % 3 === 0,
      resourceAlreadyRead: scatter(issue, 43) % 2 === 0,
      created: EPOCH + issue,
      updated: EPOCH + issue,
    })),
  );
}

function seedRelated(database: SeedDatabase, { population }: Frame): Promise<void> {
  const { issues } = population.amounts;
  const ofFirst = range(RELATED).map((index) => [0, (index + 1) * BETWEEN_RELATED] as const);
  const others = range(issues / 10 - RELATED)
    .map((index) => (index + RELATED) * 10 + 1)
    .map((issue) => [issue, issue + 1] as const);
  return database.write((manager) =>
    insertAll(manager, RelatedIssue, [...ofFirst, ...others], ([first, second]) => ({
      firstIssueId: issueId(first),
      secondIssueId: issueId(second),
      created: EPOCH + second,
    })),
  );
}

function seedViews(database: SeedDatabase, { population, projects }: Frame): Promise<void> {
  const { issues, wikis } = population.amounts;
  const subjects = range(VIEWS).flatMap((index) => [
    { kind: ViewKind.Issue, subjectId: (salt: number) => issueId(at(index, salt, issues)) },
    { kind: ViewKind.WikiPage, subjectId: (salt: number) => wikiId(at(index, salt, wikis)) },
    { kind: ViewKind.Project, subjectId: () => projects[index]?.id },
  ]);
  return database.write(async (manager) => {
    for (const userId of population.userIds) {
      const rows = new Map(
        subjects.flatMap(({ kind, subjectId: idOf }, index) => {
          const subjectId = idOf(userId);
          if (subjectId === undefined) return [];
          const viewed = EPOCH + (scatter(index, userId) % 1_000_000);
          return [[`${kind} ${subjectId}`, { userId, kind, subjectId, projectId: 1, viewed }] as const];
        }),
      );
      await insertAll(manager, RecentlyViewed, [...rows.values()], (row) => row);
    }
  });
}

/** Returns one of `count` positions, different for each user and index. */
const at = (index: number, salt: number, count: number): number => (salt * 31 + index * 7) % count;

const range = (count: number): number[] =>
  Array.from({ length: Math.max(0, Math.floor(count)) }, (_, i) => i);
