import { backlogAddresses } from './backlog/address';
import { githubAddresses } from './github/address';
import { gitlabAddresses } from './gitlab/address';
import { redmineAddresses } from './redmine/address';
import { type RemoteAddresses } from './source';
import { SourceError } from './source.error';

const REMOTE: readonly RemoteAddresses[] = [
  backlogAddresses,
  redmineAddresses,
  githubAddresses,
  gitlabAddresses,
];

/** The addresses of all kinds of sources that are read over HTTP. */
export const REMOTE_FORMS = REMOTE.map(({ form }) => form).join(', ');

/** What the address of a source says about it, before anything is read. */
export interface RemoteSource {
  origins: readonly URL[];
  /** See `SourceAddresses`, for both. */
  givesKeys: boolean;
  needsKey: boolean;
}

/**
 * Checks the address of a source that is read over HTTP. The code that reads sources is not loaded for that.
 * @throws SourceError in one sentence
 */
export function remoteSourceOf(from: string): RemoteSource {
  const addresses = REMOTE.find((kind) => kind.accepts(from));
  if (!addresses) throw new SourceError(`${from} is not the address of a source: ${REMOTE_FORMS}.`);
  const { givesKeys = false, needsKey = false } = addresses;
  return { origins: addresses.originsOf(from), givesKeys, needsKey };
}
