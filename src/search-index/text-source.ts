import { type EntityManager } from 'typeorm';
import { type SearchKind } from './search-kind';

/** A record with its texts, which are indexed together. */
export interface SourceText {
  id: number;
  texts: readonly string[];
}

/** Source of the texts of a kind, which their owner registers with the index. */
export interface TextSource {
  kind: SearchKind;
  /** Number of ids per block, a multiple of eight: about as many texts as a search can read in a few milliseconds. */
  blockSize: number;

  /** Returns the largest id; 0 if there are no records. */
  lastId: () => Promise<number>;

  /** Returns up to `limit` records from `from` up to but excluding `below`, ordered by id. */
  readRange: (from: number, below: number, limit: number) => Promise<SourceText[]>;

  /** Returns the number of records in such a range. */
  countRange: (from: number, below: number) => Promise<number>;

  /** Returns the existing records with these ids. */
  readByIds: (ids: readonly number[], manager: EntityManager) => Promise<SourceText[]>;
}
