import { type ArchiveContents } from '../archives/archive-format';

/** What a reading has found, to be compared with another one. */
export interface ReadState {
  /** The numbers and digests of the records by their kinds. */
  records: ArchiveContents['records'];
  /** The digest of the refs of all git repositories. */
  refs: string;
}
