// Runs the service as a user would: starts it, calls it and stops it.
import { Blob } from 'node:buffer';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { URL } from 'node:url';

export const { name, version, devDependencies } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

const SERVICE_TIMEOUT_MS = 120_000;
const SETTINGS = {
  PORT: '0',
  DATABASE_URL: '',
  STORAGE_URL: '',
  LOG_LEVEL: 'warn',
  DEMO_DATA: 'true',
  ADMIN_API_KEY: randomBytes(32).toString('hex'),
};

export function check(isSo, problem) {
  if (!isSo) throw new Error(problem);
}

/** Runs a program to its end and returns its output. */
export const run = (folder, command, ...parameters) =>
  execFileSync(command, parameters, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/**
 * Starts the service with a command, passes its address to `work`, stops it, and returns how many seconds the start took.
 * @param folder where it keeps its data
 */
export async function withService(folder, [command, ...parameters], work) {
  const begun = performance.now();
  const service = spawn(command, parameters, {
    cwd: folder,
    env: { ...process.env, ...SETTINGS },
    stdio: ['ignore', 'pipe', 'inherit'],
    // Its process group receives the signals, as from a terminal.
    detached: true,
  });
  const kill = (signal) => {
    if (service.exitCode === null && service.signalCode === null) process.kill(-service.pid, signal);
  };
  const timeout = globalThis.setTimeout(() => kill('SIGKILL'), SERVICE_TIMEOUT_MS);
  const ended = once(service, 'exit');
  try {
    const address = await announced(service);
    const seconds = (performance.now() - begun) / 1000;
    await work(address);
    kill('SIGINT');
    const [exitCode, signal] = await ended;
    // npx ends by the signal itself.
    check(exitCode === 0 || command === 'npx', `The service ended with ${exitCode ?? signal}`);
    return seconds;
  } finally {
    globalThis.clearTimeout(timeout);
    kill('SIGKILL');
  }
}

/** Returns the address of the API that a starting service prints. */
async function announced(service) {
  let shownVersion;
  let address;
  for await (const line of createInterface(service.stdout)) {
    shownVersion ??= /^ +Version +(\S+)/.exec(line)?.[1];
    address ??= /^ +Service +(\S+)/.exec(line)?.[1];
    if (address) break;
  }
  check(address, 'The service did not start');
  check(shownVersion === version, `The service reports version ${shownVersion}`);
  // The end of the loop has paused the output, and a full pipe would block the service.
  service.stdout.resume();
  return address;
}

/** Sends a request and returns the answer's content, which must have the expected status. */
export async function call(address, method, path, status, body) {
  const response = await globalThis.fetch(address + path, {
    method,
    headers: {
      'X-API-Key': SETTINGS.ADMIN_API_KEY,
      ...(body && !(body instanceof globalThis.FormData) && { 'Content-Type': 'application/json' }),
    },
    body: body instanceof globalThis.FormData ? body : JSON.stringify(body),
  });
  const text = await response.text();
  check(response.status === status, `${method} ${path} returned ${response.status}: ${text}`);
  return JSON.parse(text);
}

const PULL_REQUEST = '/projects/DEMO/git/repositories/demo/pullRequests/1/comments';
export const ISSUE = '/issues/DEMO-1/comments';

/** Calls the eight core operations on the demo project, and returns the id of a comment that it added. */
export async function callCoreOperations(address) {
  const [comment] = await call(address, 'GET', PULL_REQUEST, 200);
  await call(address, 'PATCH', `${PULL_REQUEST}/${comment.id}`, 200, { content: 'changed' });
  const { id } = await call(address, 'POST', ISSUE, 201, { content: 'kept' });
  const members = await call(address, 'GET', '/projects/DEMO/users', 200);
  const notifiedUserId = members.filter(({ userId }) => userId !== 'admin').map((member) => member.id);
  await call(address, 'POST', `${ISSUE}/${id}/notifications`, 200, { notifiedUserId });
  await call(address, 'POST', '/projects/DEMO/issueTypes', 201, { name: 'Chore', color: '#7ea800' });
  await call(address, 'POST', '/projects/DEMO/statuses', 201, { name: 'Review', color: '#ea2c00' });
  const form = new globalThis.FormData();
  form.set('file', new Blob(['content']), 'notes.txt');
  const { id: attachmentId } = await call(address, 'POST', '/space/attachment', 200, form);
  const [wiki] = await call(address, 'GET', '/wikis?projectIdOrKey=DEMO', 200);
  await call(address, 'POST', `/wikis/${wiki.id}/attachments`, 200, { attachmentId: [attachmentId] });
  const webhook = { name: 'hook', hookUrl: 'https://example.com/', allEvent: true };
  await call(address, 'POST', '/projects/DEMO/webhooks', 201, webhook);
  return id;
}
