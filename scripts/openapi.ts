import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApplication } from '../src/app.setup';
import { readEnvironment } from '../src/config/environment';
import { createOpenApiDocument } from '../src/openapi/document';

const FILE = 'openapi.json';

/** Writes the OpenAPI document; with `--check`, fails when the one in the repository is stale or breaks a rule. */
async function main(isCheck: boolean): Promise<void> {
  const text = await makeDocument();
  const problems = await lint(text);
  if (isCheck) {
    const isStale = !existsSync(FILE) || readFileSync(FILE, 'utf8') !== text;
    if (isStale) problems.push(`${FILE} is stale: run npm run openapi and commit it.`);
  } else {
    writeFileSync(FILE, text);
  }
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(isCheck ? `${FILE} is up to date, and no rule is broken` : `Wrote ${FILE}`);
}

async function makeDocument(): Promise<string> {
  const environment = readEnvironment({
    DATABASE_URL: 'sqlite::memory:',
    STORAGE_URL: `file:${join(tmpdir(), 'project-management-openapi')}`,
    LOG_LEVEL: 'silent',
  });
  const app = await createApplication(environment);
  try {
    return `${JSON.stringify(createOpenApiDocument(app), null, 2)}\n`;
  } finally {
    await app.close();
  }
}

/** Lints by Redocly's recommended rules and a few more, every one of which counts as an error. */
async function lint(source: string): Promise<string[]> {
  const { createConfig, lintFromString } = await import('@redocly/openapi-core');
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      'operation-operationId': 'error',
      'operation-singular-tag': 'error',
      'operation-tag-defined': 'error',
      'parameter-description': 'error',
      'path-params-defined': 'error',
      'response-contains-header': { severity: 'error', names: { 401: ['WWW-Authenticate'] } },
    },
  });
  const problems = await lintFromString({ source, absoluteRef: FILE, config });
  return problems.map(({ ruleId, message, location }) => {
    const places = location.map(({ pointer }) => pointer).filter((pointer) => pointer !== undefined);
    return `${ruleId}: ${message} (${places.join(', ')})`;
  });
}

void main(process.argv.includes('--check'));
