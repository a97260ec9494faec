import { type SourceFile } from '../model';
import { type Context, userIdOf } from './context';
import { type WireUser } from './wire';

/** The largest upload that is read, in bytes. */
const MAX_UPLOAD = 1024 * 1024 * 1024;
/** An upload in a text, whose address is the same for everything in the project. */
const ADDRESS = /\/uploads\/([0-9a-f]{32})\/([^\s()<>"'\]\\]{1,500})/g;
/** A link to an upload or a picture of it, with the size of the picture that GitLab's editor adds. */
const LINK =
  /(!?)\[([^[\]\n]{0,500})\]\((\/uploads\/[0-9a-f]{32}\/[^\s()<>"'\]\\]{1,500})\)(?:\{[^{}\n]{0,100}\})?/g;

/** The uploads in the texts of an issue or a merge request, which become its attachments. */
export class Uploads {
  private readonly files = new Map<string, SourceFile>();
  private readonly lost = new Set<string>();

  /** @param what names the issue or merge request */
  constructor(
    private readonly context: Context,
    private readonly what: string,
  ) {}

  /** The files that the source has given. */
  get attachments(): SourceFile[] {
    return [...this.files.values()];
  }

  /** Reads the uploads in a text. @param author of the text */
  async read(text: string, author: WireUser | null | undefined, created: number): Promise<void> {
    if (!text.includes('/uploads/')) return;
    const { api, path, losses } = this.context;
    for (const [address, secret = '', file = ''] of text.matchAll(ADDRESS)) {
      if (this.files.has(address) || this.lost.has(address)) continue;
      const name = decoded(file);
      const content = await api.file(`${path}/uploads/${secret}/${encodeURIComponent(name)}`, MAX_UPLOAD);
      if (content.path === undefined) {
        losses.note('Files in texts, which only GitLab 17.4 and later gives to members', this.what);
        this.lost.add(address);
        continue;
      }
      this.files.set(address, { name, content, createdUserId: userIdOf(this.context, author), created });
    }
  }

  /** Returns a text whose links to attachments are as in the texts of the service: by the names of the files. */
  withNames(text: string): string {
    if (this.files.size === 0) return text;
    return text.replace(LINK, (link, picture: string, _label: string, address: string) => {
      const name = this.files.get(address)?.name;
      if (name === undefined) return link;
      return picture === '' ? name : `![image][${name}]`;
    });
  }
}

/** Returns the name of a file in an address. */
function decoded(file: string): string {
  try {
    return decodeURIComponent(file).replaceAll('/', '_');
  } catch {
    return file;
  }
}
