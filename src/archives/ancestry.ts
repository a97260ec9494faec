import { loopTurns } from '../event-loop/loop-turns';
import { NumberList, SortedIds } from './number-lists';

/** Which records of a kind are below others of the same kind. Takes 16 bytes for each that is. */
export class Ancestry {
  private readonly children = new SortedIds();
  /** The ids of the parents, in the order of the children. */
  private readonly parents = new NumberList();
  /** Whether a parent does not come before its child: otherwise there is no circle. */
  private mayCircle = false;

  /** Adds a record. Those with lower ids have been added. */
  add(id: number, parentId: number): void {
    this.children.add(id);
    this.parents.add(parentId);
    this.mayCircle ||= parentId >= id;
  }

  /** Returns the first record whose parent is missing, if there is one. @param ids those of all records of the kind */
  async findOrphan(ids: SortedIds): Promise<{ id: number; parentId: number } | undefined> {
    for (let rank = 0; rank < this.children.size; rank++) {
      const parentId = this.parents.at(rank);
      if (!ids.has(parentId)) return { id: this.children.at(rank), parentId };
      const pause = loopTurns.pauseInBackground();
      if (pause) await pause;
    }
    return undefined;
  }

  /** Returns the id of a record that is its own ancestor, if there is one. */
  async findCircle(): Promise<number | undefined> {
    if (!this.mayCircle) return undefined;
    /** The ranks of the records from which each was first reached, plus 1. */
    const reached = new Uint32Array(this.children.size);
    for (let start = 0; start < reached.length; start++) {
      let at: number | undefined = start;
      while (at !== undefined && reached[at] === 0) {
        reached[at] = start + 1;
        at = this.children.rankOf(this.parents.at(at));
        const pause = loopTurns.pauseInBackground();
        if (pause) await pause;
      }
      if (at !== undefined && reached[at] === start + 1) return this.children.at(at);
    }
    return undefined;
  }
}
