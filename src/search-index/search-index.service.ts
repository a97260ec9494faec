import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type StatementRunner } from '../database/statements';
import { loopTurns } from '../event-loop/loop-turns';
import { type IndexState, SearchIndexRepository } from './data/search-index.repository';
import { GRAMS_VERSION, gramsOf } from './grams';
import { allMembers, decodeMembers, keepCommon, type Members, placesOf } from './members';
import { type SearchKind } from './search-kind';
import { type TextSource } from './text-source';

/** More candidates than this are found as fast by reading the texts, because one of them soon fills the page. */
export const MAX_CANDIDATES = 2000;
/** How many grams of a word are looked up: enough to make one in a million texts a candidate by chance. */
const MAX_GRAMS = 6;
/** How many blocks one statement looks at. */
const BLOCKS_AT_ONCE = 128;
/** With more blocks than this that are not indexed, a search of one project reads less without the index. */
const MAX_BLOCKS_BEHIND = 8;

/** The records whose texts may contain a word: these, and all from an id on. No other does. */
export interface Candidates {
  ids: number[];
  from: number;
}

/** The index as it was before any text is read. */
export interface SearchIndexReader {
  /**
   * The candidates for a word; undefined when the index does not help: the word is too short, or there are too many. Every record
   * of a kind with few texts is a candidate: `from` is 0.
   * @param runner runs the statements
   */
  find(kind: SearchKind, word: string, runner: StatementRunner): Promise<Candidates | undefined>;
}

/** What is indexed of a kind, and which of that may have changed. */
interface OpenedKind {
  state: IndexState;
  changed: number[];
}

/**
 * The index of texts, which finds the few that may contain a word without reading the others
 * (`docs/decisions/0046-index-of-texts.md`). It knows what was written some minutes ago, and which of it has changed since; what is
 * newer has to be read.
 */
@Injectable()
export class SearchIndexService {
  private readonly registered: TextSource[] = [];

  constructor(private readonly index: SearchIndexRepository) {}

  /** Has the texts of a kind indexed. */
  register(source: TextSource): void {
    this.registered.push(source);
  }

  /** What is indexed. */
  get sources(): readonly TextSource[] {
    return this.registered;
  }

  /** Notes that the transaction changes a text; a new one needs no note. */
  noteChange(manager: EntityManager, kind: SearchKind, id: number): Promise<void> {
    return this.index.addChange(manager, kind, id);
  }

  /** Opens the index of some kinds; undefined when it does not help: there are few texts, or many that are not indexed. */
  async open(kinds: readonly SearchKind[]): Promise<SearchIndexReader | undefined> {
    const states = await this.index.findStates(kinds);
    if (!states.some(({ blocks }) => blocks > 0)) return undefined;
    const opened = new Map<SearchKind, OpenedKind>();
    for (const state of states) {
      if (!isUsable(state)) return undefined;
      // After the state: what is no longer among the changes is in the index by then, or behind its end.
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

  private async findCandidates(
    { state, changed }: OpenedKind,
    word: string,
    runner: StatementRunner,
  ): Promise<Candidates | undefined> {
    const ids = await this.findIds(state, word, runner);
    if (!ids) return undefined;
    // The postings are of this state, unless some have been replaced meanwhile.
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
    const grams = spread(gramsOf(word), MAX_GRAMS);
    if (grams.length === 0) return undefined;
    const ids = new Set<number>();
    for (let start = 0; start < state.blocks; start += BLOCKS_AT_ONCE) {
      const length = Math.min(BLOCKS_AT_ONCE, state.blocks - start);
      const blocks = Array.from({ length }, (_, index) => start + index);
      for (const [block, members] of await this.findIn(state, blocks, grams, runner)) {
        for (const place of placesOf(members)) ids.add(block * state.blockSize + place);
        if (ids.size > MAX_CANDIDATES) return undefined;
      }
      await loopTurns.nextSlice();
    }
    return ids;
  }

  /** By block, the texts that have all of some grams. Two of these leave few blocks, or none, to look for the others in. */
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

/** Whether a search can rely on what is indexed. */
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

/** Keeps, among the texts of a block, those that have all of some grams, and returns them; undefined when there are none. */
function intersect(
  stored: readonly Uint8Array[],
  blockSize: number,
  among = allMembers(blockSize),
): Members | undefined {
  const isNone = stored.some((each) => !keepCommon(among, decodeMembers(each, blockSize)));
  return isNone ? undefined : among;
}

/** At most so many of some values, from the first to the last. */
const spread = <Value>(values: readonly Value[], most: number): Value[] =>
  values.length <= most
    ? [...values]
    : Array.from(
        { length: most },
        (_, index) => values[Math.round((index * (values.length - 1)) / (most - 1))] as Value,
      );
