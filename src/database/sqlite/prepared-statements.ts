import { type SqliteDatabase, type SqliteStatement } from './node-sqlite';

const MAX_STATEMENTS = 500;

/** The prepared statements of a connection. */
export class PreparedStatements {
  private readonly bySql = new Map<string, SqliteStatement>();

  /** @param rewrite returns what is prepared for a statement */
  constructor(
    private readonly connection: () => SqliteDatabase,
    private readonly rewrite: (sql: string) => string = (sql) => sql,
  ) {}

  get(sql: string): SqliteStatement {
    let statement = this.bySql.get(sql);
    if (!statement) {
      statement = this.connection().prepare(this.rewrite(sql));
      if (this.bySql.size >= MAX_STATEMENTS) this.clear();
      this.bySql.set(sql, statement);
    }
    return statement;
  }

  clear(): void {
    this.bySql.clear();
  }
}
