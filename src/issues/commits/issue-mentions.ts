import { StandardStatus } from '../../project-settings/standard-status';

/** An issue named in a commit message. */
export interface IssueMention {
  /** The number in the issue key. */
  keyId: number;
  /** The status requested by the message. */
  statusId?: StandardStatus.Resolved | StandardStatus.Closed;
}

/** Maximum number of issues per message. */
const MAX_MENTIONS = 20;

/**
 * Returns a function that finds the keys of a project's issues in messages: `WEB-12`, not within a word. `#fix WEB-12`, `#fixes` and
 * `#fixed` request Resolved; `#close`, `#closes` and `#closed` request Closed.
 * @returns a function that returns the issues of a message without duplicates, in order of appearance
 */
export function mentionFinder(projectKey: string): (message: string) => IssueMention[] {
  const pattern = new RegExp(
    String.raw`(?:(?<![A-Za-z0-9_#])#(?:([Ff]ix(?:es|ed)?)|([Cc]lose[sd]?))[\s:]+)?` +
      String.raw`(?<![A-Za-z0-9_])${projectKey}-([1-9]\d{0,8})(?![A-Za-z0-9_])`,
    'g',
  );
  return (message) => {
    const mentions = new Map<number, IssueMention>();
    for (const [, fix, close, number] of message.matchAll(pattern)) {
      const keyId = Number(number);
      const mention = mentions.get(keyId) ?? { keyId };
      if (!mentions.has(keyId) && mentions.size === MAX_MENTIONS) break;
      if (close !== undefined) mention.statusId = StandardStatus.Closed;
      else if (fix !== undefined) mention.statusId ??= StandardStatus.Resolved;
      mentions.set(keyId, mention);
    }
    return [...mentions.values()];
  };
}
