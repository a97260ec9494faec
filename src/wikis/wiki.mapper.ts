import { type AttachedFileDto } from '../attachments/dto/attached-file.dto';
import { type StarDto } from '../comments/dto/comment.dto';
import { columnsOf } from '../database/statements';
import { toTimestamp } from '../http/request/timestamp';
import { type UserDto } from '../users/dto/user.dto';
import { type WikiTagDto } from './dto/wiki-tag.dto';
import { type WikiVersionDto } from './dto/wiki-version.dto';
import { type WikiDto, type WikiSummaryDto } from './dto/wiki.dto';

/** A wiki page as read from the database for a list. */
export interface WikiSummaryRow {
  id: number;
  projectId: number;
  name: string;
  createdUserId: number;
  created: number;
  updatedUserId: number;
  updated: number;
}

/** A wiki page as read from the database. */
export interface WikiRow extends WikiSummaryRow {
  threadId: number;
  content: string;
  version: number;
}

const SUMMARY = ['id', 'projectId', 'name', 'createdUserId', 'created', 'updatedUserId', 'updated'];

/** The columns of `WikiSummaryRow`, of the table `w`. */
export const WIKI_SUMMARY_COLUMNS = columnsOf('w', SUMMARY);

/** The columns of `WikiRow`, of the table `w`. */
export const WIKI_COLUMNS = columnsOf('w', [...SUMMARY, 'threadId', 'content', 'version']);

/** One change of a wiki page as read from the database; its version is the `id` by which they are paged. */
export interface WikiVersionRow {
  id: number;
  wikiId: number;
  name: string;
  content: string;
  /** The version that the content is kept with, when it is not this one. */
  contentVersion: number | null;
  createdUserId: number;
  created: number;
}

/** What a page's answer is made of besides its own row. */
export interface WikiParts {
  tags: WikiTagDto[];
  attachments: AttachedFileDto[];
  stars: StarDto[];
  users: ReadonlyMap<number, UserDto>;
}

/** The path at which people look at a page. */
export const wikiPath = (wikiId: number): string => `/alias/wiki/${wikiId}`;

/** A wiki page as lists show it. */
export const toWikiSummaryDto = (
  row: WikiSummaryRow,
  tags: WikiTagDto[],
  users: ReadonlyMap<number, UserDto>,
): WikiSummaryDto => ({
  id: row.id,
  projectId: row.projectId,
  name: row.name,
  tags,
  createdUser: userOf(users, row.createdUserId),
  created: toTimestamp(row.created),
  updatedUser: userOf(users, row.updatedUserId),
  updated: toTimestamp(row.updated),
});

/** A wiki page as the wire shows it. */
export const toWikiDto = (row: WikiRow, { tags, attachments, stars, users }: WikiParts): WikiDto => ({
  ...toWikiSummaryDto(row, tags, users),
  content: row.content,
  attachments,
  sharedFiles: [],
  stars,
});

/**
 * One change of a wiki page as the wire shows it.
 * @param contents of the versions that others refer to
 */
export const toWikiVersionDto = (
  row: WikiVersionRow,
  users: ReadonlyMap<number, UserDto>,
  contents: ReadonlyMap<number, string>,
): WikiVersionDto => ({
  pageId: row.wikiId,
  version: row.id,
  name: row.name,
  content: row.contentVersion === null ? row.content : (contents.get(row.contentVersion) ?? ''),
  createdUser: userOf(users, row.createdUserId),
  created: toTimestamp(row.created),
});

/** Every user that a row names exists: the database keeps the reference. */
const userOf = (users: ReadonlyMap<number, UserDto>, id: number): UserDto => users.get(id) as UserDto;
