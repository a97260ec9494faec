import { type PlannedProject } from '../import-plan';
import { changeInPieces } from '../../event-loop/long-texts';
import { loopTurns } from '../../event-loop/loop-turns';
import { PROJECT_KEY } from '../../projects/project-key';
import { codeParts, SPACES } from './code-parts';

/**
 * A key of an issue as a whole word, or an address. Only letters of ASCII make a longer word of it: Japanese has no spaces. A key that goes
 * on with a hyphen is the name of a branch.
 */
const KEY_OR_ADDRESS = /https?:\/\/[^\s<>"')\]]+|(?<![\w-])([A-Z][A-Z0-9_]{0,24})(-[1-9]\d{0,9})(?!\w|-\w)/g;
/** The key in the address of an issue. */
const IN_ADDRESS = /(\/view\/)([A-Z][A-Z0-9_]{0,24})(-[1-9]\d{0,9})(?![\w-])/g;
/** What each text with a key has. */
const LIKE_KEY = /[A-Z0-9_]-[1-9]/;
/** How many parts of a text are kept apart. */
const MAX_PARTS = 1000;
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

  /** Whether a text may name an issue. */
  mayChange(text: string): boolean {
    return LIKE_KEY.test(text);
  }

  /**
   * Returns a text without formatting with the new keys of issues, also in addresses of issues. A long text takes several turns of the event
   * loop.
   */
  async inPlain(text: string): Promise<string> {
    return this.mayChange(text) ? changeInPieces(text, SPACES, (piece) => this.inPiece(piece)) : text;
  }

  /** Same, for a text in Markdown or the family's notation, whose code stays as it is. */
  async inText(text: string): Promise<string> {
    if (!this.mayChange(text)) return text;
    let renamed = '';
    // Joined now and then: a string of millions of parts takes many times the memory of the text.
    let parts: string[] = [];
    for (const part of codeParts(text)) {
      parts.push(part.isCode ? part.text : this.inPiece(part.text));
      if (parts.length >= MAX_PARTS) {
        renamed += parts.join('');
        parts = [];
      }
      const pause = loopTurns.pauseInBackground();
      if (pause) await pause;
    }
    return renamed + parts.join('');
  }

  /** Same, for a value that may be the key of an issue and nothing else. */
  ofValue(value: string): string {
    const [, key, number] = ONLY_KEY.exec(value) ?? [];
    return key === undefined || number === undefined ? value : this.newKey(key) + number;
  }

  private inPiece(text: string): string {
    return text.replace(KEY_OR_ADDRESS, (found, key: string | undefined, number: string) =>
      key === undefined ? this.inAddress(found) : this.newKey(key) + number,
    );
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
