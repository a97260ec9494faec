import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaDifference, type SchemaDifference, withScratchDatabase } from './schema';

const FOLDER = join('src', 'database', 'migrations');

/** Writes one migration for both dialects from what the entities have and the migrated databases lack. */
async function main(name: string | undefined, serverUrl: string): Promise<void> {
  if (!name || !/^[A-Z][A-Za-z0-9]*$/.test(name)) {
    throw new Error('Usage: npm run migration:generate -- NameInPascalCase');
  }
  const sqlite = await schemaDifference('sqlite::memory:');
  const mysql = await withScratchDatabase(serverUrl, schemaDifference);
  if (sqlite.up.length === 0 && mysql.up.length === 0) {
    console.log('The entities and the migrations agree; nothing to write.');
    return;
  }
  const timestamp = Date.now();
  const className = `${name}${timestamp}`;
  const file = `${timestamp}-${name.replace(/(?<!^)(?=[A-Z])/g, '-').toLowerCase()}`;
  writeFileSync(join(FOLDER, `${file}.ts`), migrationSource(className, sqlite, mysql));
  addToIndex(className, file);
  console.log(`Wrote ${join(FOLDER, file)}.ts; read it, and run npm run format.`);
}

function migrationSource(className: string, sqlite: SchemaDifference, mysql: SchemaDifference): string {
  return `import { DialectMigration } from './dialect-migration';

export class ${className} extends DialectMigration {
  readonly name = '${className}';

  protected readonly sqlite = ${literal({ up: sqlite.up })};

  protected readonly mysql = ${literal(mysql)};
}
`;
}

function literal(directions: Partial<SchemaDifference>): string {
  const lists = Object.entries(directions).map(
    ([direction, statements]) =>
      `    ${direction}: [\n${statements.map((statement) => `      ${quoted(statement)},\n`).join('')}    ],\n`,
  );
  return `{\n${lists.join('')}  }`;
}

const quoted = (statement: string): string =>
  statement.includes("'") ? JSON.stringify(statement) : `'${statement}'`;

function addToIndex(className: string, file: string): void {
  const index = join(FOLDER, 'index.ts');
  const source = readFileSync(index, 'utf8');
  const extended = source.replace(
    /(\[?),?\s*\];\s*$/,
    (_end, empty: string) => `${empty || ','}\n  ${className},\n];\n`,
  );
  writeFileSync(index, `import { ${className} } from './${file}';\n${extended}`);
}

main(process.argv[2], process.env.TEST_DATABASE_URL ?? 'mariadb://root@127.0.0.1:3306/mysql').catch(
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
