/** A wiki page as the index of a project shows it. */
interface IndexedPage {
  title: string;
  parent?: { title: string } | null;
}

/** The first page of a project, unless it is renamed. */
const START = 'Wiki';
const HOME = 'Home';
const MAX_NAME = 255;
const MAX_DEPTH = 20;

/**
 * The names that the wiki pages of a project get. The service shows a page below another by its name, `Parent/Child`. The first page, which is
 * above most others, becomes `Home`, and is not in the names of the pages below it.
 */
export class PageNames {
  private readonly names = new Map<string, string>();

  constructor(pages: readonly IndexedPage[]) {
    const byKey = new Map(pages.map((page) => [keyOf(page.title), page]));
    const taken = new Set<string>();
    for (const page of pages) {
      const path = pathOf(page, byKey);
      const name = path.length <= MAX_NAME && !taken.has(path) ? path : shown(page.title);
      taken.add(name);
      this.names.set(keyOf(page.title), name);
    }
  }

  /** Returns the name of a page by its title, as links and addresses write it. */
  nameOf(title: string): string {
    return this.names.get(keyOf(title)) ?? shown(title);
  }
}

function pathOf(page: IndexedPage, byKey: ReadonlyMap<string, IndexedPage>): string {
  if (page.title === START && !byKey.has(keyOf(HOME))) return HOME;
  const parts = [shown(page.title)];
  let above = page.parent && byKey.get(keyOf(page.parent.title));
  for (let depth = 0; above && above.title !== START && depth < MAX_DEPTH; depth++) {
    parts.unshift(shown(above.title));
    above = above.parent && byKey.get(keyOf(above.parent.title));
  }
  return parts.join('/');
}

/** Redmine finds pages regardless of case, and replaces or removes these characters in titles. */
const keyOf = (title: string): string =>
  title
    .replace(/\s+/g, '_')
    .replace(/[,./?;|:]/g, '')
    .toLowerCase();

const shown = (title: string): string => title.replaceAll('_', ' ');
