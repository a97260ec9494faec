import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, insertRowIfMissing, selectRow, selectRows } from '../../database/rows';
import {
  affectedRows,
  type EntityRunner,
  inList,
  placeholders,
  type StatementRunner,
} from '../../database/statements';
import { SearchBlock } from '../entities/search-block.entity';
import { SearchChange } from '../entities/search-change.entity';
import { SearchIndex } from '../entities/search-index.entity';
import { type SearchPosting } from '../entities/search-posting.entity';
import { type SearchKind } from '../search-kind';

/** How far a kind is indexed. */
export type IndexState = Omit<SearchIndex, 'builder' | 'leasedUntil'>;

/** What changes as a kind is indexed. */
export type IndexProgress = Pick<SearchIndex, 'blocks' | 'version' | 'rewriting' | 'rewrites'>;

/** A change that has been noted. */
export type NotedChange = Pick<SearchChange, 'id' | 'kind' | 'recordId'>;

const STATE_KEYS = ['kind', 'blockSize', 'blocks', 'version', 'created', 'rewriting', 'rewrites'] as const;

/** The rows of the index of texts. */
@Injectable()
export class SearchIndexRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** How far the kinds are indexed; those that have not been begun are missing. */
  findStates(kinds: readonly SearchKind[]): Promise<IndexState[]> {
    const list = inList(kinds);
    return selectRows(this.dataSource, SearchIndex, STATE_KEYS, `WHERE kind ${list.sql}`, list.parameters);
  }

  findState(kind: SearchKind, runner: EntityRunner = this.dataSource): Promise<IndexState | undefined> {
    return selectRow(runner, SearchIndex, STATE_KEYS, 'WHERE kind = ?', [kind]);
  }

  /** Adds a kind of which nothing is indexed. */
  addState(manager: EntityManager, state: IndexState): Promise<void> {
    return insertRowIfMissing(manager, SearchIndex, { ...state, builder: '', leasedUntil: 0 });
  }

  /** Leases the writing of a kind; false while another run has it. */
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

  /** Prolongs a lease, or ends it; false when another run has taken over, even if that has ended. */
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

  /** Writes down how far a kind is indexed. */
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

  /** The postings of grams in blocks. Both lists are short: each pair of them is looked up by itself. */
  findPostings(
    runner: StatementRunner,
    kind: SearchKind,
    blocks: readonly number[],
    grams: readonly number[],
  ): Promise<Pick<SearchPosting, 'block' | 'gram' | 'members'>[]> {
    return runner.query(
      `SELECT block, gram, members FROM search_posting
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

  /** Writes postings, in place of what there is of the same grams. */
  async replacePostings(manager: EntityManager, rows: readonly SearchPosting[]): Promise<void> {
    await manager.query(
      `REPLACE INTO search_posting (kind, block, gram, members) VALUES ${rows.map(() => '(?,?,?,?)').join(',')}`,
      rows.flatMap(({ kind, block, gram, members }) => [kind, block, gram, members]),
    );
  }

  /** Deletes the postings of a block whose grams are from one on, below another one. */
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

  /** Up to `limit` blocks from one on. */
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

  /** Writes down that a block has been written whole. */
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

  /** Counts changes that have been added to a block. */
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

  /** Notes that a text has been changed, if its kind has been begun. */
  async addChange(manager: EntityManager, kind: SearchKind, recordId: number): Promise<void> {
    const state = await selectRow(manager, SearchIndex, ['kind'], 'WHERE kind = ?', [kind]);
    if (state) await insertRow(manager, SearchChange, { kind, recordId });
  }

  /** Up to `limit` changes of texts of a kind, the oldest first. */
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
