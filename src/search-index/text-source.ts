import { type EntityManager } from 'typeorm';
import { type SearchKind } from './search-kind';

/** A record with its texts, which are indexed together. */
export interface SourceText {
  id: number;
  texts: readonly string[];
}

/** Where the texts of a kind are: their owner registers one with the index. */
export interface TextSource {
  kind: SearchKind;
  /** How many ids a block has, a multiple of eight: about as many texts as a search may read in a few milliseconds. */
  blockSize: number;

  /** The largest id; 0 when there is no record. */
  lastId: () => Promise<number>;

  /** When the first record was created that has this id or a larger one, in milliseconds since 1970; undefined if there is none. */
  createdFrom: (id: number) => Promise<number | undefined>;

  /** Up to `limit` records from an id on, below another one, by id. */
  readRange: (from: number, below: number, limit: number) => Promise<SourceText[]>;

  /** How many records there are in such a range. */
  countRange: (from: number, below: number) => Promise<number>;

  /** The records with these ids that exist. */
  readByIds: (ids: readonly number[], manager: EntityManager) => Promise<SourceText[]>;
}
