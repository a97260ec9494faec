import { type RefUpdate } from '../entities/git-push.entity';
import { BRANCHES, isRefName, MAX_REFS, TAGS } from '../refs/ref-names';
import { type GitRefState } from '../refs/ref-states';
import {
  isAtomic,
  isCreation,
  isDeletion,
  type PushCommands,
  refusal,
  type SkippedRefs,
} from './push-commands';

/** Maximum length of a name in a message. */
const MAX_NAME = 400;

/** Returns the report to the client of a push that is refused before it is passed to git; undefined for any other push. */
export function refusalOf(
  push: PushCommands,
  refs: readonly GitRefState[],
  room: number | undefined,
): Buffer | undefined {
  if (push.excess !== undefined) return refusal({ ...push, updates: [] }, () => undefined, push.excess);
  const isBad = ({ ref }: RefUpdate): boolean => !isRefName(ref);
  if (push.updates.some(isBad))
    return refusal(push, (update) => (isBad(update) ? 'not a valid branch or tag name' : undefined));
  // Git would change the others.
  const isHidden = ({ ref }: RefUpdate): boolean => !ref.startsWith(BRANCHES) && !ref.startsWith(TAGS);
  if (isAtomic(push) && push.updates.some(isHidden))
    return refusal(push, (update) => (isHidden(update) ? 'only branches and tags can be pushed' : undefined));
  // Without room, refs can still be deleted.
  if (room === 0 && !push.updates.every(isDeletion))
    return refusal(push, () => 'the space has no storage left');
  const created = push.updates.filter(isCreation);
  if (created.length === 0 && !push.updates.some(isDeletion)) return undefined;
  const present = new Map(refs.map(({ name, hash }) => [name, hash]));
  // If git does not know the old commit of a deletion, it deletes the ref without checking its value, and without the hook.
  const isUnknown = (update: RefUpdate): boolean =>
    isDeletion(update) && present.get(update.ref) !== update.oldHash;
  if (push.updates.some(isUnknown))
    return refusal(push, (update) => (isUnknown(update) ? 'it does not exist or has changed' : undefined));
  if (present.size + created.length <= MAX_REFS || created.length === 0) return undefined;
  return refusal(push, (update) =>
    isCreation(update) ? `a repository can have at most ${MAX_REFS} branches and tags` : undefined,
  );
}

/** Returns the messages to a client about skipped refs. */
export const noteSkipped = ({ count, first }: SkippedRefs): string[] => {
  if (count === 0) return [];
  const names = count === 1 ? first : `${count} refs such as ${first}`;
  const owner = count === 1 ? 'it belongs' : 'they belong';
  return [
    `Skipped ${names.slice(0, MAX_NAME)}: ${owner} to another host, for example to its pull requests.`,
    'Only branches and tags are stored.',
  ];
};
