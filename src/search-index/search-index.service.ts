import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type StatementRunner } from '../database/sql/statements';
import { loopTurns } from '../event-loop/loop-turns';
import { type IndexState, SearchIndexRepository } from './data/search-index.repository';
import { GRAMS_VERSION, gramsOf } from './grams';
import { allMembers, decodeMembers, intersectWith, type Members, positionsOf } from './members';
import { type SearchKind } from './search-kind';
import { type TextSource } from './text-source';

/** Maximum number of candidates. With more, reading the texts is as fast, because matches soon fill the page. */
export const MAX_CANDIDATES = 2000;
/** Maximum number of a word's grams that are looked up: enough that only one in a million texts is a candidate by chance. */
const MAX_GRAMS = 6;
/** Number of blocks per statement. */
const BLOCKS_AT_ONCE = 128;
/**
 * Time for which a block settles before it is indexed, in milliseconds, from the first look that saw an id behind it: longer than the
 * transactions that have ids of the block.
 */
export const SETTLED_MS = 600_000;
/** Maximum age of the largest ids read, in milliseconds: `SETTLED_MS`, less the transaction of a late record and a margin. */
const MAX_LOOK_AGE_MS = 420_000;
/** Maximum number of unindexed blocks. With more, a search of one project reads less without the index. */
const MAX_BLOCKS_BEHIND = 8;

/** The records that may contain a word: those with `ids`, and all from the id `from` on. No other record does. */
export interface Candidates {
  ids: number[];
  from: number;
}

/** The index in its state before any text is read. */
export interface SearchIndexReader {
  /**
   * Returns the candidates for a word; undefined if the index does not help, because the word is too short or there are too many. For a
   * kind with few texts, every record is a candidate: `from` is 0.
   * @param runner runs the statements
   */
  find(kind: SearchKind, word: string, runner: StatementRunner): Promise<Candidates | undefined>;
}

/** A look at the largest id of the records of a kind, with the times of its start and end on the clock of `performance.now()`. */
interface Look {
  lastId: number;
  start: number;
  end: number;
}

/** The indexed part of a kind, and the records in it that may have changed. */
interface OpenedKind {
  state: IndexState;
  changed: number[];
}

/**
 * The text index, which finds the few texts that may contain a word without reading the others (`docs/decisions/0046-index-of-texts.md`).
 * It covers texts up to some minutes ago and knows which of them have changed since; newer texts have to be read.
 */
@Injectable()
export class SearchIndexService {
  private readonly registered: TextSource[] = [];
  /** The looks of the last `SETTLED_MS` and the last one before, oldest first. */
  private readonly looks = new Map<SearchKind, Look[]>();

  constructor(private readonly index: SearchIndexRepository) {}

  /** Registers the texts of a kind for indexing. */
  register(source: TextSource): void {
    this.registered.push(source);
  }

  /** Sources of the indexed texts. */
  get sources(): readonly TextSource[] {
    return this.registered;
  }

  /**
   * Looks at the largest ids. Any block that is indexed within the next minutes ends below them, so `noteNew` knows which new texts the
   * index may miss.
   */
  async readLastIds(): Promise<void> {
    for (const { kind, lastId } of this.registered) {
      const start = performance.now();
      const look = { lastId: await lastId(), start, end: performance.now() };
      this.looks.set(kind, [...this.looksSince(kind, SETTLED_MS), look]);
    }
  }

  /**
   * Returns the id below which all texts of a kind have settled; 0 until the looks go back far enough. It comes from looks and not from the
   * times in the records, because those of imported records are set back.
   */
  settledId(kind: SearchKind, settledMs: number): number {
    const looks = this.looksSince(kind, settledMs);
    const [first] = looks;
    if (!first || first.end > performance.now() - settledMs) return 0;
    return Math.min(...looks.map(({ lastId }) => lastId));
  }

  /**
   * Records that the transaction adds a text, if its block may already be indexed: some servers assign ids in blocks, so that a new id can
   * be far below older ones. Costs nothing where ids ascend.
   */
  async noteNew(manager: EntityManager, kind: SearchKind, id: number): Promise<void> {
    const look = this.looks.get(kind)?.at(-1);
    const isBeyond = look && id > look.lastId && performance.now() - look.start <= MAX_LOOK_AGE_MS;
    if (!isBeyond) await this.noteChange(manager, kind, id);
  }

  /** Records that the transaction changes a text. */
  noteChange(manager: EntityManager, kind: SearchKind, id: number): Promise<void> {
    return this.index.addChange(manager, kind, id);
  }

  /**
   * Drops the blocks from the one of this id on, so that they are indexed again: for texts that were written with reserved ids, below those
   * of others. Ends a run that writes the kind.
   */
  restartFrom(manager: EntityManager, kind: SearchKind, id: number): Promise<void> {
    return this.index.shorten(manager, kind, id);
  }

  /** Opens the index of some kinds; returns undefined if it does not help, because there are few texts or many unindexed ones. */
  async open(kinds: readonly SearchKind[]): Promise<SearchIndexReader | undefined> {
    const states = await this.index.findStates(kinds);
    if (!states.some(({ blocks }) => blocks > 0)) return undefined;
    const opened = new Map<SearchKind, OpenedKind>();
    for (const state of states) {
      if (!isUsable(state)) return undefined;
      // Read after the state: a change that is missing here is already in the index, or beyond its end.
      const changes = await this.index.findChanges(state.kind, MAX_CANDIDATES + 1);
      if (changes.length > MAX_CANDIDATES) return undefined;
      opened.set(state.kind, { state, changed: changes.map(({ recordId }) => recordId) });
    }
    for (const source of this.registered) {
      if (!kinds.includes(source.kind)) continue;
      const { blocks, blockSize } = opened.get(source.kind)?.state ?? { ...source, blocks: 0 };
      if ((await source.lastId()) >= (blocks + MAX_BLOCKS_BEHIND) * blockSize) return undefined;
    }
    return {
      find: async (kind, word, runner) => {
        const of = opened.get(kind);
        return of ? this.findCandidates(of, word, runner) : { ids: [], from: 0 };
      },
    };
  }

  /** Returns the looks of the last `ms`, and the last one before them. */
  private looksSince(kind: SearchKind, ms: number): Look[] {
    const looks = this.looks.get(kind) ?? [];
    const since = performance.now() - ms;
    return looks.slice(
      Math.max(
        0,
        looks.findLastIndex(({ end }) => end <= since),
      ),
    );
  }

  private async findCandidates(
    { state, changed }: OpenedKind,
    word: string,
    runner: StatementRunner,
  ): Promise<Candidates | undefined> {
    const ids = await this.findIds(state, word, runner);
    if (!ids) return undefined;
    // The postings belong to this state, unless some have been replaced in the meantime.
    const now = await this.index.findState(state.kind);
    if (!now || !isUsable(now) || now.rewrites !== state.rewrites) return undefined;
    for (const id of changed) ids.add(id);
    if (ids.size > MAX_CANDIDATES) return undefined;
    return { ids: [...ids], from: state.blocks * state.blockSize };
  }

  private async findIds(
    state: IndexState,
    word: string,
    runner: StatementRunner,
  ): Promise<Set<number> | undefined> {
    const grams = pickEvenly(gramsOf(word), MAX_GRAMS);
    if (grams.length === 0) return undefined;
    const ids = new Set<number>();
    for (let start = 0; start < state.blocks; start += BLOCKS_AT_ONCE) {
      const length = Math.min(BLOCKS_AT_ONCE, state.blocks - start);
      const blocks = Array.from({ length }, (_, index) => start + index);
      for (const [block, members] of await this.findIn(state, blocks, grams, runner)) {
        for (const place of positionsOf(members)) ids.add(block * state.blockSize + place);
        if (ids.size > MAX_CANDIDATES) return undefined;
      }
      await loopTurns.nextSlice();
    }
    return ids;
  }

  /** Returns the texts that have all of the grams, by block. Two grams leave few or no blocks in which to look for the others. */
  private async findIn(
    { kind, blockSize }: IndexState,
    blocks: readonly number[],
    grams: readonly number[],
    runner: StatementRunner,
  ): Promise<Map<number, Members>> {
    let found: Map<number, Members> | undefined;
    for (const some of [grams.slice(0, 2), grams.slice(2)]) {
      const left: readonly number[] = found ? [...found.keys()] : blocks;
      if (some.length === 0 || left.length === 0) break;
      const rows = await this.index.findPostings(runner, kind, left, some);
      const next = new Map<number, Members>();
      for (const [block, stored] of groupByBlock(rows)) {
        const members = stored.length === some.length && intersect(stored, blockSize, found?.get(block));
        if (members) next.set(block, members);
      }
      found = next;
    }
    return found ?? new Map<number, Members>();
  }
}

/** Whether a search can rely on the index. */
const isUsable = ({ version, rewriting }: IndexState): boolean =>
  version === GRAMS_VERSION && rewriting === null;

function groupByBlock(rows: readonly { block: number; members: Uint8Array }[]): Map<number, Uint8Array[]> {
  const blocks = new Map<number, Uint8Array[]>();
  for (const { block, members } of rows) {
    const stored = blocks.get(block);
    if (stored) stored.push(members);
    else blocks.set(block, [members]);
  }
  return blocks;
}

/** Reduces `among` to the texts of a block that have all of the grams and returns it; undefined if none remain. */
function intersect(
  stored: readonly Uint8Array[],
  blockSize: number,
  among = allMembers(blockSize),
): Members | undefined {
  const isNone = stored.some((each) => !intersectWith(among, decodeMembers(each, blockSize)));
  return isNone ? undefined : among;
}

/** Returns at most `most` of the values, spread evenly from the first to the last. */
const pickEvenly = <Value>(values: readonly Value[], most: number): Value[] =>
  values.length <= most
    ? [...values]
    : Array.from(
        { length: most },
        (_, index) => values[Math.round((index * (values.length - 1)) / (most - 1))] as Value,
      );
