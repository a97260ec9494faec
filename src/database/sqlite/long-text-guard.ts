import { type SqliteDatabase } from './node-sqlite';

/**
 * Size beyond which a text is long, in bytes of UTF-8. Texts are decoded on the event loop, which a list of 100 descriptions of the
 * maximum size held for 204 ms.
 */
const MAX_SHORT_TEXT = 16 * 1024;
const REFUSE = 'refuse_long_text';

/**
 * Lets statements of a connection fail as soon as they would return a long text, so that `LongReads` can read the same rows one by one
 * (`docs/decisions/0049-one-clock-for-the-event-loop.md#long-texts`). Reading all statements in that way would make a list of 20 comments
 * 7 % slower.
 */
export class LongTextGuard {
  private wasRefused = false;

  /** @param columns returns the names of the columns with texts of any length; they are guarded in every table */
  constructor(private readonly columns: () => readonly string[]) {}

  /** Defines what guarded statements call. */
  prepare(database: SqliteDatabase): void {
    database.function(REFUSE, { deterministic: false }, () => {
      this.wasRefused = true;
      throw new Error('The statement would return a long text.');
    });
  }

  /** Returns a statement that fails instead of returning a long text. */
  guard(sql: string): string {
    const names = this.columns().join('|');
    if (names === '') return sql;
    // As `columnsOf` and `packedColumns` write them, or with an alias. Conditions stay as they are.
    const columns = new RegExp(
      `[\\w\`]+\\.\`(?:${names})\`|(?<![\\w.\`])(?:[\\w\`]+\\.)?\`?(?:${names})\`?(?= AS [^(])`,
      'g',
    );
    return sql.replaceAll(
      columns,
      (column) => `CASE WHEN octet_length(${column}) > ${MAX_SHORT_TEXT} THEN ${REFUSE}() ELSE ${column} END`,
    );
  }

  /**
   * Runs a guarded statement.
   * @returns undefined if a row has a long text
   */
  read<Row>(run: () => Row[]): Row[] | undefined {
    try {
      return run();
    } catch (error) {
      // One of the two SQLite builds does not pass on the error itself.
      if (!this.wasRefused) throw error;
      this.wasRefused = false;
      return undefined;
    }
  }
}
