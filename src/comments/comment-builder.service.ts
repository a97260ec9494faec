import { Injectable } from '@nestjs/common';
import { DataSource, EntityManager } from 'typeorm';
import { groupBy } from '../database/sql/group-by';
import { type EntityRunner } from '../database/sql/statements';
import { buildInParts, longLists, partsOf } from '../event-loop/long-lists';
import { type Requester } from '../event-loop/user-turns';
import { type AgentFinder, AgentsService } from '../users/agents.service';
import { type UserDto } from '../users/dto/user.dto';
import { collectUser } from '../users/user.mapper';
import { toCommentDto } from './comment.mapper';
import { type AuthoredComment } from './data/comment.repository';
import { findStarsAndNotifications, isStar, type StarOrNotification } from './data/stars-and-notifications';
import { type CommentDto } from './dto/comment.dto';

/** The users of comments, which grow with those of stars and notifications, and the agents. */
interface Authors {
  users: Map<number, UserDto>;
  agentOf: AgentFinder;
}

/** The reader of comments: a transaction, or a request that reads the last committed state. */
export type CommentReader = EntityManager | Requester;

/** Maximum number of stars and notifications read at once; above it, they are read for a few comments at a time. */
const MANY_STARS_AND_NOTIFICATIONS = 2000;
const COMMENTS_AT_ONCE = 2;

/** Builds the responses of comments with their stars and notifications. */
@Injectable()
export class CommentBuilderService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly agents: AgentsService,
  ) {}

  /** Builds comments. Reads their stars and notifications in one query, unless there are very many. */
  async build(rows: readonly AuthoredComment[], reader: CommentReader): Promise<CommentDto[]> {
    if (rows.length === 0) return [];
    const users = new Map<number, UserDto>();
    for (const row of rows) collectUser(users, row);
    const authors = {
      users,
      agentOf: await this.agents.findOf(rows, isTransaction(reader) ? reader : undefined),
    };
    const found = await findStarsAndNotifications(
      isTransaction(reader) ? reader : this.dataSource,
      idsOf(rows),
      MANY_STARS_AND_NOTIFICATIONS + 1,
    );
    if (found.length <= MANY_STARS_AND_NOTIFICATIONS) return combine(rows, found, authors);
    // A transaction holds locks, so it must not wait in the queue.
    if (isTransaction(reader)) return this.buildInSlices(rows, authors, reader);
    return longLists.run(reader, () => this.buildInSlices(rows, authors, this.dataSource, reader.signal));
  }

  /** Reads a few comments at a time to let other requests proceed: each comment may notify a thousand users. */
  private buildInSlices(
    rows: readonly AuthoredComment[],
    authors: Authors,
    runner: EntityRunner,
    signal?: AbortSignal,
  ): Promise<CommentDto[]> {
    const build = async (some: AuthoredComment[]): Promise<CommentDto[]> =>
      combine(some, await findStarsAndNotifications(runner, idsOf(some), Number.MAX_SAFE_INTEGER), authors);
    return buildInParts(
      partsOf(rows, COMMENTS_AT_ONCE, () => 1),
      build,
      signal,
    );
  }
}

export const isTransaction = (reader: CommentReader): reader is EntityManager =>
  reader instanceof EntityManager;

const idsOf = (rows: readonly AuthoredComment[]): number[] => rows.map((row) => row.id);

/** Combines comments with their stars and notifications into responses; collects the users of both. */
function combine(
  rows: readonly AuthoredComment[],
  starsAndNotifications: readonly StarOrNotification[],
  { users, agentOf }: Authors,
): CommentDto[] {
  for (const item of starsAndNotifications) collectUser(users, item);
  const byComment = groupBy(starsAndNotifications, (item) => item.commentId);
  return rows.map((row) => {
    const own = byComment.get(row.id) ?? [];
    return toCommentDto(row, {
      users,
      agent: agentOf(row),
      stars: own.filter(isStar),
      notifications: own.filter((item) => !isStar(item)),
    });
  });
}
