import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { contains } from '../../database/sql/contains';
import { forced, inList, type StatementRunner } from '../../database/sql/statements';
import { entityTexts } from '../../search-index/entity-texts';
import { type Candidates, SearchIndexService } from '../../search-index/search-index.service';
import { SearchKind } from '../../search-index/search-kind';
import { Comment } from '../entities/comment.entity';

/** Number of comments per index block. */
const BLOCK_SIZE = 8192;

/** Searches comments by their text. */
@Injectable()
export class CommentSearchRepository implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly index: SearchIndexService,
  ) {}

  onModuleInit(): void {
    const source = { kind: SearchKind.Comment, blockSize: BLOCK_SIZE, entity: Comment };
    this.index.register(entityTexts(this.dataSource, { ...source, columns: ['content'] }));
  }

  /**
   * Returns the threads of comments that contain a word; undefined when there are more than `most` comments.
   * @param runner a runner that can search texts (`keywordSearch`)
   */
  async findThreads(
    runner: StatementRunner,
    word: string,
    { ids, from }: Candidates,
    most: number,
  ): Promise<number[] | undefined> {
    const { sql, parameter } = contains(this.dataSource, 'c.content', word);
    const list = inList(ids);
    const comments = `comment c ${forced(this.dataSource, 'PRIMARY')}`;
    // With UNION, SQLite would read all comments in the order of their threads.
    const rows = await runner.query<{ threadId: number }[]>(
      `SELECT c.thread_id AS threadId FROM ${comments} WHERE c.id ${list.sql} AND ${sql}
       UNION ALL
       SELECT c.thread_id FROM ${comments} WHERE c.id >= ? AND ${sql}
       LIMIT ${most + 1}`,
      [...list.parameters, parameter, from, parameter],
    );
    return rows.length > most ? undefined : [...new Set(rows.map(({ threadId }) => threadId))];
  }
}
