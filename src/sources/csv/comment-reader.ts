import { grouped } from '../../quantities';
import { type SourceComment } from '../model';
import { type CommentParts, type CommentPattern, compileCommentPattern } from './comment-pattern';
import { type IssueContext } from './context';
import { toMarkdown } from './jira-markup';
import { type Cell, type Row } from './row';
import { type SurveyedIssue } from './survey';
import { firstCharacters } from './texts';

/** The longest comment, in characters. */
const MAX_COMMENT = 50_000;
const WHOLE = '{text}';

/** Reads the columns of comments. */
export class CommentReader {
  private readonly patterns = new Map<string, CommentPattern>();

  /** @param unknownId returns the author of comments without one */
  constructor(
    private readonly context: Pick<IssueContext, 'builder' | 'map' | 'people' | 'values'>,
    private readonly unknownId: () => number,
  ) {}

  /**
   * Returns the comments of a row, by their times.
   * @param time of those that have none
   * @throws SourceError that names the place of a time that cannot be read
   */
  read(row: Row, issue: SurveyedIssue, time: number): SourceComment[] {
    const comments = row.cells('comment').flatMap((cell) => this.comment(row, issue, cell, time) ?? []);
    // Their ids are those of their order.
    return comments
      .sort((one, other) => one.created - other.created)
      .map((comment) => ({ ...comment, id: this.context.builder.newId('comment') }));
  }

  private comment(row: Row, { project, number }: SurveyedIssue, cell: Cell, time: number) {
    const { builder, map, people, values } = this.context;
    const { text, author, time: written } = this.parts(row, cell);
    if (text === '') return undefined;
    const converted = map.textFormat === 'jira' ? toMarkdown(text) : text;
    const content = firstCharacters(converted, MAX_COMMENT);
    if (content !== converted)
      builder.losses.note(`Comments beyond ${grouped(MAX_COMMENT)} characters`, `${project}-${number}`);
    const created = written === '' ? time : values.time(row, cell, written);
    return {
      content,
      created,
      updated: created,
      createdUserId: author === '' ? this.unknownId() : people.idOf({ any: author }),
      ...{ changeLog: [], stars: [], notifications: [] },
    };
  }

  private parts(row: Row, cell: Cell): CommentParts {
    const { pattern = WHOLE } = cell.column.use;
    const split = this.patterns.get(pattern) ?? compileCommentPattern(pattern);
    this.patterns.set(pattern, split);
    const parts = split(cell.text);
    if (parts) return parts;
    this.context.builder.losses.note(
      'Authors and times of comments that do not follow the pattern',
      row.place,
    );
    return { time: '', author: '', text: cell.text };
  }
}
