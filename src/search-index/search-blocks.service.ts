import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { loopTurns } from '../event-loop/loop-turns';
import { type IndexState, SearchIndexRepository } from './data/search-index.repository';
import { eachGram, GRAMS, piecesOf } from './grams';
import { type IndexLease } from './index-lease';
import { addAll, addMember, decodeMembers, encodeMembers, type Members, noMembers } from './members';
import { type SearchKind } from './search-kind';
import { type SourceText, type TextSource } from './text-source';

/** Number of records or changes read at once. */
const RECORDS_AT_ONCE = 64;
/** Number of postings that one transaction writes, and of grams for which it deletes postings. */
const POSTINGS_AT_ONCE = 250;
const DELETED_AT_ONCE = GRAMS / 8;

/** The texts of a block, by gram. */
type Postings = Map<number, Members>;

/** Writes blocks of the index and adds changes to them. */
@Injectable()
export class SearchBlocksService {
  constructor(private readonly rows: SearchIndexRepository) {}

  /** Indexes the next block and returns the new state. */
  async add(source: TextSource, state: IndexState, lease: IndexLease): Promise<IndexState> {
    const { kind } = source;
    const { blocks: block } = state;
    const { postings, records } = await this.collectBlock(source, state, block, lease);
    // An earlier run or another version may have left postings.
    await this.delete(kind, block, lease);
    await this.write(kind, block, postings, lease);
    const after = { ...state, blocks: block + 1 };
    await lease.write(async (manager) => {
      await this.rows.replaceBlock(manager, { kind, block, records });
      await this.rows.saveProgress(manager, kind, after);
    });
    return after;
  }

  /** Replaces the postings of a block, which no search uses in the meantime, and returns the new state. */
  async rewrite(
    source: TextSource,
    state: IndexState,
    block: number,
    lease: IndexLease,
  ): Promise<IndexState> {
    const { kind } = source;
    const { postings, records } = await this.collectBlock(source, state, block, lease);
    const during = { ...state, rewriting: block, rewrites: state.rewrites + 1 };
    await lease.write((manager) => this.rows.saveProgress(manager, kind, during));
    await this.delete(kind, block, lease);
    await this.write(kind, block, postings, lease);
    const after = { ...during, rewriting: null };
    await lease.write(async (manager) => {
      await this.rows.replaceBlock(manager, { kind, block, records });
      await this.rows.saveProgress(manager, kind, after);
    });
    return after;
  }

  /** Adds the current grams of changed texts. Their old grams stay and make them false candidates. */
  async addChanges(source: TextSource, { blocks, blockSize }: IndexState, lease: IndexLease): Promise<void> {
    const { kind } = source;
    let isMore = true;
    while (isMore) {
      const { changes, records } = await this.readChanges(source, blocks * blockSize, lease);
      for (const [block, some] of groupByBlock(records, blockSize)) {
        const postings: Postings = new Map();
        await this.collect(some, blockSize, postings);
        await this.addTo(kind, block, postings, blockSize, lease);
        await lease.write((manager) => this.rows.countChanged(manager, kind, block, some.length));
      }
      if (changes.length > 0) await lease.write((manager) => this.rows.deleteChanges(manager, changes));
      isMore = changes.length === RECORDS_AT_ONCE;
    }
  }

  /**
   * Returns some changes and the current texts of the changed records with ids below `below`; the others are read when their block is
   * indexed. Reads in one transaction, so that another node of a cluster does not return an older text.
   */
  private readChanges(
    { kind, readByIds }: TextSource,
    below: number,
    lease: IndexLease,
  ): Promise<{ changes: number[]; records: SourceText[] }> {
    return lease.write(async (manager) => {
      const changes = await this.rows.findChanges(kind, RECORDS_AT_ONCE, manager);
      const ids = new Set(changes.map(({ recordId }) => recordId).filter((id) => id < below));
      const records = ids.size === 0 ? [] : await readByIds([...ids], manager);
      return { changes: changes.map(({ id }) => id), records };
    });
  }

  /** Returns the grams of all texts of a block, and the number of texts. */
  private async collectBlock(
    { readRange }: TextSource,
    { blockSize }: IndexState,
    block: number,
    lease: IndexLease,
  ): Promise<{ postings: Postings; records: number }> {
    const end = (block + 1) * blockSize;
    const postings: Postings = new Map();
    let count = 0;
    for (let from = block * blockSize; from < end;) {
      const records = await readRange(from, end, RECORDS_AT_ONCE);
      await this.collect(records, blockSize, postings);
      await lease.prolong();
      count += records.length;
      from = records.length < RECORDS_AT_ONCE ? end : (records.at(-1) as SourceText).id + 1;
    }
    return { postings, records: count };
  }

  /** Adds the grams of records to those of their block. */
  private async collect(
    records: readonly SourceText[],
    blockSize: number,
    postings: Postings,
  ): Promise<void> {
    for (const { id, texts } of records) {
      for (const piece of texts.flatMap(piecesOf)) {
        eachGram(piece, (gram) => {
          let members = postings.get(gram);
          if (!members) postings.set(gram, (members = noMembers(blockSize)));
          addMember(members, id % blockSize);
        });
        if (loopTurns.isOver()) await loopTurns.nextSlice();
      }
    }
  }

  private async write(kind: SearchKind, block: number, postings: Postings, lease: IndexLease): Promise<void> {
    for (const some of slices(postings)) {
      await loopTurns.nextSlice();
      await lease.write((manager) => this.replace(manager, kind, block, some));
    }
  }

  private async addTo(
    kind: SearchKind,
    block: number,
    postings: Postings,
    blockSize: number,
    lease: IndexLease,
  ): Promise<void> {
    for (const some of slices(postings)) {
      await loopTurns.nextSlice();
      await lease.write(async (manager) => {
        const added = new Map(some);
        const stored = await this.rows.findPostings(manager, kind, [block], [...added.keys()]);
        for (const { gram, members } of stored) {
          const all = decodeMembers(members, blockSize);
          if (addAll(all, added.get(gram) as Members)) added.set(gram, all);
          else added.delete(gram);
        }
        await this.replace(manager, kind, block, [...added]);
      });
    }
  }

  private async replace(
    manager: EntityManager,
    kind: SearchKind,
    block: number,
    postings: readonly (readonly [gram: number, members: Members])[],
  ): Promise<void> {
    if (postings.length === 0) return;
    const rows = postings.map(([gram, members]) => ({ kind, block, gram, members: encodeMembers(members) }));
    await this.rows.replacePostings(manager, rows);
  }

  private async delete(kind: SearchKind, block: number, lease: IndexLease): Promise<void> {
    if (!(await this.rows.hasPostings(kind, block))) return;
    for (let from = 0; from < GRAMS; from += DELETED_AT_ONCE) {
      await lease.write((manager) =>
        this.rows.deletePostings(manager, kind, block, { from, below: from + DELETED_AT_ONCE }),
      );
    }
  }
}

/** Yields postings in the order of their grams, as many at once as one transaction writes. */
function* slices(postings: Postings): Generator<[gram: number, members: Members][]> {
  const sorted = [...postings].sort(([one], [other]) => one - other);
  for (let start = 0; start < sorted.length; start += POSTINGS_AT_ONCE) {
    yield sorted.slice(start, start + POSTINGS_AT_ONCE);
  }
}

function groupByBlock(records: readonly SourceText[], blockSize: number): Map<number, SourceText[]> {
  const blocks = new Map<number, SourceText[]>();
  for (const record of records) {
    const block = Math.floor(record.id / blockSize);
    const some = blocks.get(block);
    if (some) some.push(record);
    else blocks.set(block, [record]);
  }
  return blocks;
}
