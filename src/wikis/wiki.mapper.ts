import { type AttachedFileDto } from '../attachments/dto/attached-file.dto';
import { toTimestamp } from '../http/request/timestamp';
import { type SharedFileDto } from '../shared-files/dto/shared-file.dto';
import { type StarDto } from '../stars/dto/star.dto';
import { type UserDto } from '../users/dto/user.dto';
import { type WikiVersionRow } from './data/wiki-history.repository';
import { type WikiRow, type WikiSummaryRow } from './data/wiki.repository';
import { type WikiTagDto } from './dto/wiki-tag.dto';
import { type WikiVersionDto } from './dto/wiki-version.dto';
import { type WikiDto, type WikiSummaryDto } from './dto/wiki.dto';

/** The parts of a page's response that are not in its row. */
export interface WikiParts {
  tags: WikiTagDto[];
  attachments: AttachedFileDto[];
  sharedFiles: SharedFileDto[];
  stars: StarDto[];
  users: ReadonlyMap<number, UserDto>;
}

/** Returns the path of a page in the web interface. */
export const wikiPath = (wikiId: number): string => `/alias/wiki/${wikiId}`;

/** Converts a wiki page to its wire format in lists. */
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

/** Converts a wiki page to its wire format. */
export const toWikiDto = (
  row: WikiRow,
  { tags, attachments, sharedFiles, stars, users }: WikiParts,
): WikiDto => ({
  ...toWikiSummaryDto(row, tags, users),
  content: row.content,
  attachments,
  sharedFiles,
  stars,
});

/**
 * Converts a version of a wiki page to its wire format.
 * @param contents the contents stored with other versions, by version
 */
export const toWikiVersionDto = (
  row: WikiVersionRow,
  users: ReadonlyMap<number, UserDto>,
  contents: ReadonlyMap<number, string>,
): WikiVersionDto => ({
  pageId: row.wikiId,
  version: row.version,
  name: row.name,
  content: row.contentVersion === null ? row.content : (contents.get(row.contentVersion) ?? ''),
  createdUser: userOf(users, row.createdUserId),
  created: toTimestamp(row.created),
});

/** Returns a user, who exists because of a foreign key. */
const userOf = (users: ReadonlyMap<number, UserDto>, id: number): UserDto => users.get(id) as UserDto;
