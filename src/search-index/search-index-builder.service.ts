import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { BackgroundService } from '../background/background.service';
import { type BackgroundWork } from '../background/background-work';
import { isUnavailable } from '../database/connections/database-errors';
import { TransactionsService } from '../database/transactions/transactions.service';
import { type IndexState, SearchIndexRepository } from './data/search-index.repository';
import { GRAMS_VERSION } from './grams';
import { IndexLease, RunEndedError } from './index-lease';
import { SearchBlocksService } from './search-blocks.service';
import { SearchIndexService, SETTLED_MS } from './search-index.service';
import { type SearchKind } from './search-kind';
import { type TextSource } from './text-source';

/** Conditions for indexing. */
interface BuildLimits {
  /** Time for which a block settles, in milliseconds. `SearchIndexService.noteNew` relies on it for later ids of the block. */
  settledMs: number;
  /** Minimum number of changes. */
  minChanges: number;
}

const LIMITS: BuildLimits = { settledMs: SETTLED_MS, minChanges: 200 };
const INTERVAL_MS = 300_000;
/** Maximum number of blocks that a run checks for wear, and that it rewrites. */
const BLOCKS_LOOKED_AT = 16;
const MAX_REWRITTEN = 4;
/** A block is stale if more than this share of its texts has been deleted or changed since it was written. */
const STALE_SHARE = 1 / 4;

/** Writes the text index in the background: whole blocks of new texts, later changes, and stale blocks. */
@Injectable()
export class SearchIndexBuilderService implements OnApplicationBootstrap {
  /** The block to check next, by kind. */
  private readonly nextLook = new Map<SearchKind, number>();
  private readonly background: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly transactions: TransactionsService,
    private readonly rows: SearchIndexRepository,
    private readonly index: SearchIndexService,
    private readonly blocks: SearchBlocksService,
  ) {
    this.background = background.add('search_index', () => this.build(LIMITS), {
      intervalMs: INTERVAL_MS,
      failure: 'Could not index texts',
      ignored: isUnavailable,
    });
  }

  /** Looks at the ids before the first request. If that fails, all new texts are recorded until the first run. */
  async onApplicationBootstrap(): Promise<void> {
    await this.index.readLastIds().catch(() => undefined);
  }

  /** Indexes everything that is due. */
  async build(limits: BuildLimits): Promise<void> {
    await this.index.readLastIds();
    for (const source of this.index.sources) {
      if (this.background.isStopping) return;
      const state = (await this.rows.findState(source.kind)) ?? (await this.begin(source));
      // This version cannot use the index of a newer one.
      if (!state || isNewer(state.version)) continue;
      const stale = await this.findStale(source, state);
      if (stale.length > 0 || (await this.isDue(source, state, limits))) {
        await this.buildKind(source, stale, limits);
      }
    }
  }

  /** Starts to index a kind once it has enough texts. */
  private async begin({ kind, blockSize, lastId }: TextSource): Promise<IndexState | undefined> {
    if ((await lastId()) < blockSize) return undefined;
    const state: IndexState = {
      kind,
      blockSize,
      blocks: 0,
      version: GRAMS_VERSION,
      created: Date.now(),
      rewriting: null,
      rewrites: 0,
    };
    await this.transactions.run((manager) => this.rows.addState(manager, state));
    return state;
  }

  private async isDue(source: TextSource, state: IndexState, limits: BuildLimits): Promise<boolean> {
    if (state.rewriting !== null || isOlder(state.version)) return true;
    if (this.isNextSettled(source, state, limits)) return true;
    return (await this.rows.findChanges(source.kind, limits.minChanges)).length >= limits.minChanges;
  }

  /** Returns stale blocks. Checks some blocks at a time, in turn. */
  private async findStale({ kind, countRange }: TextSource, { blockSize }: IndexState): Promise<number[]> {
    const blocks = await this.rows.findBlocks(kind, this.nextLook.get(kind) ?? 0, BLOCKS_LOOKED_AT);
    const stale: number[] = [];
    let next = 0;
    for (const { block, records, changed } of blocks) {
      if (this.background.isStopping || stale.length === MAX_REWRITTEN) break;
      const left = await countRange(block * blockSize, (block + 1) * blockSize);
      if (records - left + changed > records * STALE_SHARE) stale.push(block);
      next = block + 1;
    }
    const isEnd = blocks.length < BLOCKS_LOOKED_AT && stale.length < MAX_REWRITTEN;
    this.nextLook.set(kind, isEnd ? 0 : next);
    return stale;
  }

  private async buildKind(source: TextSource, stale: readonly number[], limits: BuildLimits): Promise<void> {
    const { kind } = source;
    const lease = new IndexLease(this.transactions, this.rows, kind, () => this.background.isStopping);
    if (!(await lease.take())) return;
    try {
      let state = await lease.write(async (manager) => {
        const found = (await this.rows.findState(kind, manager)) as IndexState;
        if (isNewer(found.version)) throw new RunEndedError();
        if (!isOlder(found.version)) return found;
        const anew = { ...found, blocks: 0, version: GRAMS_VERSION, rewriting: null };
        await this.rows.saveProgress(manager, kind, anew);
        return anew;
      });
      const toRewrite = state.rewriting === null ? stale : [state.rewriting, ...stale];
      for (const block of new Set(toRewrite)) {
        if (block < state.blocks) state = await this.blocks.rewrite(source, state, block, lease);
      }
      while (this.isNextSettled(source, state, limits)) {
        state = await this.blocks.add(source, state, lease);
      }
      await this.blocks.addChanges(source, state, lease);
    } catch (error) {
      if (!(error instanceof RunEndedError)) throw error;
    } finally {
      await lease.release();
    }
  }

  /** Whether the texts of the next block are complete. */
  private isNextSettled(
    { kind }: TextSource,
    { blocks, blockSize, created }: IndexState,
    { settledMs }: BuildLimits,
  ): boolean {
    if (created > Date.now() - settledMs) return false;
    return this.index.settledId(kind, settledMs) >= (blocks + 1) * blockSize;
  }
}

const compare = (version: string): number => version.localeCompare(GRAMS_VERSION, 'en', { numeric: true });

/** Whether this version has to rebuild the index. */
const isOlder = (version: string): boolean => compare(version) < 0;
const isNewer = (version: string): boolean => compare(version) > 0;
