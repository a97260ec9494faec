import { type PlannedProject } from '../import-plan';
import { PROJECT_KEY } from '../../projects/project-key';
import { codeParts } from './code-parts';

/**
 * A key of an issue as a whole word, or an address. Only letters of ASCII make a longer word of it: Japanese has no spaces. A key that goes
 * on with a hyphen is the name of a branch.
 */
const KEY_OR_ADDRESS = /https?:\/\/[^\s<>"')\]]+|(?<![\w-])([A-Z][A-Z0-9_]{0,24})(-[1-9]\d{0,9})(?!\w|-\w)/g;
/** The key in the address of an issue. */
const IN_ADDRESS = /(\/view\/)([A-Z][A-Z0-9_]{0,24})(-[1-9]\d{0,9})(?![\w-])/g;
/** What each text with a key has. */
const LIKE_KEY = /[A-Z0-9_]-[1-9]/;
const ONLY_KEY = /^([A-Z][A-Z0-9_]{0,24})(-[1-9]\d{0,9})$/;

/** The keys of the projects that an import renames, which texts may name: `OLD-12`. */
export class RenamedKeys {
  private constructor(private readonly keys: ReadonlyMap<string, string>) {}

  /** @returns undefined if all projects keep their keys */
  static of(projects: readonly Pick<PlannedProject, 'key' | 'as'>[]): RenamedKeys | undefined {
    const renamed = projects.filter(({ key, as }) => key !== as && PROJECT_KEY.test(key));
    return renamed.length === 0
      ? undefined
      : new RenamedKeys(new Map(renamed.map(({ key, as }) => [key, as])));
  }

  /** Names the renaming: the same for the same keys. */
  get name(): string {
    return JSON.stringify([...this.keys]);
  }

  /** Returns a text without formatting with the new keys of issues, also in addresses of issues. */
  inPlain(text: string): string {
    if (!LIKE_KEY.test(text)) return text;
    return text.replace(KEY_OR_ADDRESS, (found, key: string | undefined, number: string) =>
      key === undefined ? this.inAddress(found) : this.newKey(key) + number,
    );
  }

  /** Same, for a text in Markdown or the family's notation, whose code stays as it is. */
  inText(text: string): string {
    if (!LIKE_KEY.test(text)) return text;
    return codeParts(text)
      .map((part) => (part.isCode ? part.text : this.inPlain(part.text)))
      .join('');
  }

  /** Same, for a value that may be the key of an issue and nothing else. */
  ofValue(value: string): string {
    const [, key, number] = ONLY_KEY.exec(value) ?? [];
    return key === undefined || number === undefined ? value : this.newKey(key) + number;
  }

  private inAddress(address: string): string {
    return address.replace(
      IN_ADDRESS,
      (_found, path: string, key: string, number: string) => path + this.newKey(key) + number,
    );
  }

  private newKey(key: string): string {
    return this.keys.get(key) ?? key;
  }
}
