import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, insertRowIfMissing, selectRow, selectRows } from '../../database/sql/rows';
import {
  affectedRows,
  type EntityRunner,
  forced,
  inList,
  placeholders,
  type StatementRunner,
} from '../../database/sql/statements';
import { SearchBlock } from '../entities/search-block.entity';
import { SearchChange } from '../entities/search-change.entity';
import { SearchIndex } from '../entities/search-index.entity';
import { type SearchPosting } from '../entities/search-posting.entity';
import { type SearchKind } from '../search-kind';

/** Indexing state of a kind. */
export type IndexState = Omit<SearchIndex, 'builder' | 'leasedUntil'>;

/** The part of the state that changes during indexing. */
export type IndexProgress = Pick<SearchIndex, 'blocks' | 'version' | 'rewriting' | 'rewrites'>;

/** A recorded change. */
export type NotedChange = Pick<SearchChange, 'id' | 'kind' | 'recordId'>;

const STATE_KEYS = ['kind', 'blockSize', 'blocks', 'version', 'created', 'rewriting', 'rewrites'] as const;

/** Reads and writes the rows of the text index. */
@Injectable()
export class SearchIndexRepository {
  private readonly postings: string;

  constructor(private readonly dataSource: DataSource) {
    this.postings = `search_posting ${forced(dataSource, 'PRIMARY')}`;
  }

  /** Returns the indexing state of the kinds, except of those that have not been started. */
  findStates(kinds: readonly SearchKind[]): Promise<IndexState[]> {
    const list = inList(kinds);
    return selectRows(this.dataSource, SearchIndex, STATE_KEYS, `WHERE kind ${list.sql}`, list.parameters);
  }

  findState(kind: SearchKind, runner: EntityRunner = this.dataSource): Promise<IndexState | undefined> {
    return selectRow(runner, SearchIndex, STATE_KEYS, 'WHERE kind = ?', [kind]);
  }

  /** Adds a kind without any indexed texts. */
  addState(manager: EntityManager, state: IndexState): Promise<void> {
    return insertRowIfMissing(manager, SearchIndex, { ...state, builder: '', leasedUntil: 0 });
  }

  /** Acquires the lease on writing a kind; returns false while another run holds it. */
  async takeLease(
    manager: EntityManager,
    kind: SearchKind,
    { builder, now, until }: { builder: string; now: number; until: number },
  ): Promise<boolean> {
    const found = await affectedRows(
      manager,
      'UPDATE search_index SET builder = ?, leased_until = ? WHERE kind = ? AND leased_until < ?',
      [builder, until, kind, now],
    );
    return found > 0;
  }

  /** Extends or ends a lease; returns false if another run has taken over, even if that run has ended. */
  async moveLease(
    manager: EntityManager,
    kind: SearchKind,
    builder: string,
    until: number,
  ): Promise<boolean> {
    const found = await affectedRows(
      manager,
      'UPDATE search_index SET leased_until = ? WHERE kind = ? AND builder = ?',
      [until, kind, builder],
    );
    return found > 0;
  }

  /** Saves the indexing progress of a kind. */
  async saveProgress(
    manager: EntityManager,
    kind: SearchKind,
    { blocks, version, rewriting, rewrites }: IndexProgress,
  ): Promise<void> {
    await manager.query(
      'UPDATE search_index SET blocks = ?, version = ?, rewriting = ?, rewrites = ? WHERE kind = ?',
      [blocks, version, rewriting, rewrites, kind],
    );
  }

  /** Shortens the indexed part of a kind to the blocks before the one of an id. Ends a run that writes the kind. */
  async shorten(manager: EntityManager, kind: SearchKind, id: number): Promise<void> {
    const block = '(? - ? % block_size) / block_size';
    await manager.query(
      `UPDATE search_index SET builder = '', leased_until = 0, rewrites = rewrites + 1,
              rewriting = CASE WHEN rewriting < ${block} THEN rewriting END,
              blocks = CASE WHEN blocks > ${block} THEN ${block} ELSE blocks END
        WHERE kind = ?`,
      [id, id, id, id, id, id, kind],
    );
  }

  /** Returns the postings of grams in blocks. Both lists must be short, because each pair is looked up separately. */
  findPostings(
    runner: StatementRunner,
    kind: SearchKind,
    blocks: readonly number[],
    grams: readonly number[],
  ): Promise<Pick<SearchPosting, 'block' | 'gram' | 'members'>[]> {
    return runner.query(
      `SELECT block, gram, members FROM ${this.postings}
        WHERE kind = ? AND block IN (${placeholders(blocks)}) AND gram IN (${placeholders(grams)})`,
      [kind, ...blocks, ...grams],
    );
  }

  /** Whether a block has any postings. */
  async hasPostings(kind: SearchKind, block: number): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      'SELECT gram FROM search_posting WHERE kind = ? AND block = ? LIMIT 1',
      [kind, block],
    );
    return rows.length > 0;
  }

  /** Writes postings and replaces existing ones of the same grams. */
  async replacePostings(manager: EntityManager, rows: readonly SearchPosting[]): Promise<void> {
    await manager.query(
      `REPLACE INTO search_posting (kind, block, gram, members) VALUES ${rows.map(() => '(?,?,?,?)').join(',')}`,
      rows.flatMap(({ kind, block, gram, members }) => [kind, block, gram, members]),
    );
  }

  /** Deletes the postings of a block for the grams from `from` up to but excluding `below`. */
  async deletePostings(
    manager: EntityManager,
    kind: SearchKind,
    block: number,
    { from, below }: { from: number; below: number },
  ): Promise<void> {
    await manager.query(
      'DELETE FROM search_posting WHERE kind = ? AND block = ? AND gram >= ? AND gram < ?',
      [kind, block, from, below],
    );
  }

  /** Returns up to `limit` blocks, starting with `from`. */
  findBlocks(
    kind: SearchKind,
    from: number,
    limit: number,
  ): Promise<Pick<SearchBlock, 'block' | 'records' | 'changed'>[]> {
    return selectRows(
      this.dataSource,
      SearchBlock,
      ['block', 'records', 'changed'],
      `WHERE kind = ? AND block >= ? ORDER BY block LIMIT ${limit}`,
      [kind, from],
    );
  }

  /** Records that a block has been written completely. */
  async replaceBlock(
    manager: EntityManager,
    { kind, block, records }: Omit<SearchBlock, 'changed'>,
  ): Promise<void> {
    await manager.query('REPLACE INTO search_block (kind, block, records, changed) VALUES (?, ?, ?, 0)', [
      kind,
      block,
      records,
    ]);
  }

  /** Increases the count of changes added to a block. */
  async countChanged(
    manager: EntityManager,
    kind: SearchKind,
    block: number,
    changed: number,
  ): Promise<void> {
    await manager.query('UPDATE search_block SET changed = changed + ? WHERE kind = ? AND block = ?', [
      changed,
      kind,
      block,
    ]);
  }

  /** Records the change of a text if the indexing of its kind has started. */
  async addChange(manager: EntityManager, kind: SearchKind, recordId: number): Promise<void> {
    const state = await selectRow(manager, SearchIndex, ['kind'], 'WHERE kind = ?', [kind]);
    if (state) await insertRow(manager, SearchChange, { kind, recordId });
  }

  /** Returns up to `limit` changes of texts of a kind, oldest first. */
  findChanges(
    kind: SearchKind,
    limit: number,
    runner: EntityRunner = this.dataSource,
  ): Promise<NotedChange[]> {
    return selectRows(
      runner,
      SearchChange,
      ['id', 'kind', 'recordId'],
      `WHERE kind = ? ORDER BY id LIMIT ${limit}`,
      [kind],
    );
  }

  async deleteChanges(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const list = inList(ids);
    await manager.query(`DELETE FROM search_change WHERE id ${list.sql}`, list.parameters);
  }
}
