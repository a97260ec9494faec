import { type ArchiveBuilder } from '../archive-builder';
import { type ForgeApi } from '../forges/forge-api';
import { type ProjectSettings } from '../forges/forge-project';
import { type ForgePeople } from '../forges/people';
import { withIssueKeys } from '../forges/references';
import { type SourceReport } from '../source';
import { toAccount } from './convert';
import { type WireProject, type WireUser } from './wire';

/** What the readers of a project share. */
export interface Context extends SourceReport {
  api: ForgeApi;
  builder: ArchiveBuilder;
  people: ForgePeople;
  settings: ProjectSettings;
  project: WireProject;
  /** The path of the project in the API. */
  path: string;
}

/** The kind under which the spool has the issues that are imported, by their numbers. */
const ISSUES = '#imported issue';

export const keepIssue = ({ builder }: Context, iid: number, id: number): void =>
  void builder.records.add(ISSUES, [iid], { id });

export const isImported = ({ builder }: Context, iid: number): boolean =>
  builder.records.find(ISSUES, [iid]) !== undefined;

export const userIdOf = ({ people }: Context, user: WireUser | null | undefined): number =>
  people.idOf(user && toAccount(user));

/** Converts a Markdown text. */
export const toText = (context: Context, body: string): string =>
  withIssueKeys(body, context.settings.project.projectKey, (iid) => isImported(context, iid));
