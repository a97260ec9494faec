import { type ArchiveBuilder } from '../archive-builder';
import { type ForgeApi } from '../forges/forge-api';
import { type ProjectSettings } from '../forges/forge-project';
import { type ForgePeople } from '../forges/people';
import { withIssueKeys } from '../forges/references';
import { type Timeline } from '../forges/timeline';
import { type SourceReport } from '../source';
import { toAccount } from './convert';
import { type WireAccount, type WireRepository } from './wire';

/** What the readers of a repository share. */
export interface Context extends SourceReport {
  api: ForgeApi;
  builder: ArchiveBuilder;
  people: ForgePeople;
  settings: ProjectSettings;
  /** Comments and changes, by the numbers that issues and pull requests share. */
  timeline: Timeline;
  repository: WireRepository;
  /** The path of the repository in the API. */
  path: string;
}

/** The kinds under which the spool has what each number is, and the numbers of pull requests. */
const NUMBERS = '#number';
const PULL_REQUESTS = '#pull request';

/** What a number of the repository is. */
export interface Numbered {
  id: number;
  number: number;
  isPullRequest: boolean;
  mergedAt: number | null;
  /** The number of the parent of an issue. */
  parent: number | null;
}

export function keepNumber({ builder }: Context, numbered: Numbered): void {
  const { number, isPullRequest } = numbered;
  builder.records.add(NUMBERS, [number], numbered);
  if (isPullRequest) builder.records.add(PULL_REQUESTS, [PULL_REQUESTS, number], { number });
}

export const findNumber = ({ builder }: Context, number: number): Numbered | undefined =>
  builder.records.find(NUMBERS, [number]) as Numbered | undefined;

/** Yields the numbers of pull requests in their order. */
export function* pullRequestsOf({ builder }: Context): Generator<number> {
  for (const { number } of builder.records.within<{ number: number }>(PULL_REQUESTS, PULL_REQUESTS)) {
    yield number;
  }
}

export const userIdOf = ({ people }: Context, account: WireAccount): number =>
  people.idOf(account && toAccount(account));

/** Files that are uploaded into texts; their addresses have no API. */
const UPLOADED = new RegExp(
  [
    '/user-attachments/',
    '//(private-)?user-images\\.githubusercontent\\.com/',
    '//cloud\\.githubusercontent\\.com/assets/',
    // Older ones are below the address of the repository, or of the owner's number.
    '//[\\w.:-]+/[\\w.-]+/[\\w.-]+/(files/\\d+/|assets/\\d+/[0-9a-f-]{36})',
  ].join('|'),
  'i',
);

/** Whether a text refers to files that were uploaded into texts. */
export const hasUploads = (text: string): boolean => UPLOADED.test(text);

/** Converts a Markdown text, and notes what it refers to that stays at the source. @param number of the issue or pull request */
export function toText(context: Context, body: string, number: number): string {
  if (hasUploads(body)) context.losses.note('Files in texts, which stay at the source', `#${number}`);
  const isIssue = (other: number): boolean => findNumber(context, other)?.isPullRequest === false;
  return withIssueKeys(body, context.settings.project.projectKey, isIssue);
}
