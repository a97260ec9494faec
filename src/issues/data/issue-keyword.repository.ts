import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CommentsService } from '../../comments/comments.service';
import { forced, inList, type StatementRunner } from '../../database/sql/statements';
import { entityTexts } from '../../search-index/entity-texts';
import {
  MAX_CANDIDATES,
  type SearchIndexReader,
  SearchIndexService,
} from '../../search-index/search-index.service';
import { SearchKind } from '../../search-index/search-kind';
import { Issue } from '../entities/issue.entity';
import { hasOwnText } from './issue-texts';

/** Number of issues per index block. */
const BLOCK_SIZE = 1024;
/** Maximum number of candidates that are cheaper to read than to narrow down with another index lookup. */
const FEW = 50;

/** Finds the issues that can contain words, using the text index. */
@Injectable()
export class IssueKeywordRepository implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly index: SearchIndexService,
    private readonly comments: CommentsService,
  ) {}

  onModuleInit(): void {
    const source = { kind: SearchKind.Issue, blockSize: BLOCK_SIZE, entity: Issue };
    this.index.register(entityTexts(this.dataSource, { ...source, columns: ['summary', 'description'] }));
  }

  /**
   * Returns the ids of candidate issues, which include all issues that contain each word in some text; undefined when the index does not
   * help, as with short or frequent words.
   * @param runner a runner that can search texts (`keywordSearch`)
   */
  async find(words: readonly string[], runner: StatementRunner): Promise<number[] | undefined> {
    const reader = await this.index.open([SearchKind.Issue, SearchKind.Comment]);
    if (!reader) return undefined;
    let found: number[] | undefined;
    // Longer words are rarer.
    for (const word of [...words].sort((one, other) => other.length - one.length)) {
      const ids = await this.findOne(reader, word, runner);
      found = ids && found ? found.filter((id) => ids.has(id)) : (found ?? (ids && [...ids]));
      if (found && found.length <= FEW) break;
    }
    return found;
  }

  private async findOne(
    reader: SearchIndexReader,
    word: string,
    runner: StatementRunner,
  ): Promise<Set<number> | undefined> {
    const own = await reader.find(SearchKind.Issue, word, runner);
    const threads = own && (await this.comments.findThreadsContaining(reader, word, runner));
    if (!threads) return undefined;
    const list = inList(threads);
    const inOwn = hasOwnText(this.dataSource, word);
    const issues = (index: string): string => `issue i ${forced(this.dataSource, index)}`;
    // The second column is not in the index; without it, MySQL may read the whole index.
    const rows = await runner.query<Pick<Issue, 'id' | 'keyId'>[]>(
      `SELECT i.id AS id, i.key_id AS keyId FROM ${issues('ix_issue_thread_id')} WHERE i.thread_id ${list.sql}
       UNION ALL
       SELECT i.id, i.key_id FROM ${issues('PRIMARY')} WHERE i.id >= ? AND ${inOwn.sql}
       LIMIT ${MAX_CANDIDATES + 1}`,
      [...list.parameters, own.from, ...inOwn.parameters],
    );
    return rows.length > MAX_CANDIDATES ? undefined : new Set([...own.ids, ...rows.map(({ id }) => id)]);
  }
}
