import { DocumentStatus } from '../documents/document-status';
import { loopTurns } from '../event-loop/loop-turns';
import { NumberList, type SortedIds } from './number-lists';
import { type ArchivedRecord } from './record-kinds';

/** The most levels that a tree of documents has in any service. */
const MAX_LEVELS = 100;

/** On which levels documents are. Takes 16 bytes for each. */
export class DocumentLevels {
  /** The depths of the documents, by their ranks; 0 for removed ones, which belong to no tree. */
  private readonly depths = new NumberList();
  /** The ids of the parents, by the ranks of the children; 0 for none. */
  private readonly parents = new NumberList();

  /** @param ids those of the documents so far */
  constructor(private readonly ids: SortedIds) {}

  /** Adds the next document; returns whether it has a depth that a tree can have. */
  add({ depth, parentId, statusId }: ArchivedRecord): boolean {
    const isRemoved = statusId === DocumentStatus.Removed;
    this.depths.add(isRemoved ? 0 : Number(depth));
    this.parents.add(Number(parentId ?? 0));
    return isRemoved || (Number(depth) >= 1 && Number(depth) <= MAX_LEVELS);
  }

  /** Returns the id of a document that is not deeper than the one above it, if there is one. */
  async findMisplaced(): Promise<number | undefined> {
    for (let rank = 0; rank < this.depths.size; rank++) {
      const depth = this.depths.at(rank);
      const parent = this.ids.rankOf(this.parents.at(rank));
      if (depth > 0 && parent !== undefined && this.depths.at(parent) >= depth) return this.ids.at(rank);
      const pause = loopTurns.pauseInBackground();
      if (pause) await pause;
    }
    return undefined;
  }
}
