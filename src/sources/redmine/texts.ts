import { type RecordSpool } from '../../archives/data/record-spool';
import { type Losses } from '../losses';
import { type TextFormat } from '../text-format';
import { convertTextile } from './text/textile-converter';
import { type PageNames } from './wiki-names';

/** The kind under which the spool has the places of all issues that are imported. */
const PLACES = '#redmineIssue';

/** The place of an issue that is imported. */
export interface IssuePlace {
  projectId: number;
  /** Such as `DEMO-12`. */
  key: string;
  parentId: number | null;
}

/** Where the issues of a Redmine are imported to: links and parents refer to those of other projects, too. */
export class IssuePlaces {
  constructor(private readonly records: RecordSpool) {}

  add(id: number, place: IssuePlace): void {
    this.records.add(PLACES, [id], place);
  }

  /** Returns the place of an issue; undefined if it is not imported. */
  find(id: number): IssuePlace | undefined {
    const found = this.records.find(PLACES, [id]);
    if (!found) return undefined;
    const { projectId, key, parentId } = found;
    return {
      projectId: Number(projectId),
      key: String(key),
      parentId: parentId === null ? null : Number(parentId),
    };
  }
}

/** Makes Markdown of the texts of a Redmine. */
export class RedmineTexts {
  /** @param base address of the Redmine, without a slash at its end */
  constructor(
    private readonly format: TextFormat,
    private readonly base: string,
    readonly places: IssuePlaces,
    private readonly losses: Losses,
  ) {}

  /**
   * Returns a text as Markdown.
   * @param pages of the project, to which the links of the text lead
   * @param place names what has the text
   */
  toMarkdown(text: string, pages: PageNames, place: string): string {
    if (this.format === 'markdown' || text === '') return text;
    const { markdown, isConverted } = convertTextile(text, {
      base: this.base,
      issueKey: (id) => (id === 0 ? undefined : this.places.find(id)?.key),
      pageName: (title) => pages.nameOf(title),
    });
    if (!isConverted) {
      this.losses.note('The formatting of texts that are too long or contain private characters', place);
    }
    return markdown;
  }
}
