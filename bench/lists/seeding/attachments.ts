import { Attachment } from '../../../src/attachments/entities/attachment.entity';
import { IssueAttachment } from '../../../src/issues/entities/issue-attachment.entity';
import { PullRequestAttachment } from '../../../src/pull-requests/entities/pull-request-attachment.entity';
import { WikiAttachment } from '../../../src/wikis/entities/wiki-attachment.entity';
import { EPOCH, insertAll, type SeedDatabase } from '../../support/seed-database';
import { type Frame } from './frame';
import { issueId } from './issues';
import { pullRequestId } from './pull-requests';
import { wikiId } from './wikis';

/** Attachments of the first issue, pull request and wiki page; one in twenty of the others has one. */
const ATTACHMENTS_OF_FIRST = 5;
const SHARE = 20;

/** Returns the number of attached files; they have the lowest ids. */
export const countAttachments = ({ population: { amounts } }: Frame): number =>
  [amounts.issues, amounts.pullRequests, amounts.wikis].flatMap(owners).length;

/** Attaches files that exist only as rows. */
export async function seedAttachments(database: SeedDatabase, frame: Frame): Promise<void> {
  const { issues, pullRequests, wikis } = frame.population.amounts;
  const ofIssues = owners(issues).map((owner) => ({ kind: 'issue', owner }));
  const ofPullRequests = owners(pullRequests).map((owner) => ({ kind: 'pullRequest', owner }));
  const ofWikis = owners(wikis).map((owner) => ({ kind: 'wiki', owner }));
  const files = [...ofIssues, ...ofPullRequests, ...ofWikis].map((file, index) => ({
    ...file,
    id: index + 1,
  }));
  const filesOf = (kind: string): typeof files => files.filter((file) => file.kind === kind);
  await database.write(async (manager) => {
    await insertAll(manager, Attachment, files, ({ id }) => ({
      id,
      storageKey: keyOf(id),
      name: `file${id}.txt`,
      size: 100,
      stored: true,
      attached: true,
      createdUserId: frame.population.userId('busy'),
      created: EPOCH,
    }));
    await insertAll(manager, IssueAttachment, filesOf('issue'), ({ id, owner }) => ({
      attachmentId: id,
      issueId: issueId(owner),
    }));
    await insertAll(manager, PullRequestAttachment, filesOf('pullRequest'), ({ id, owner }) => ({
      attachmentId: id,
      pullRequestId: pullRequestId(owner),
    }));
    await insertAll(manager, WikiAttachment, filesOf('wiki'), ({ id, owner }) => ({
      attachmentId: id,
      wikiId: wikiId(owner),
    }));
  });
}

const owners = (count: number): number[] => [
  ...Array<number>(ATTACHMENTS_OF_FIRST).fill(0),
  ...Array.from({ length: Math.ceil(count / SHARE) - 1 }, (_, index) => (index + 1) * SHARE),
];

/** Returns a key of no file, by the id of an attachment. */
export const keyOf = (id: number): string => `00000000-0000-0000-0000-${String(id).padStart(12, '0')}`;
