import { get as getPlain, type IncomingMessage } from 'node:http';
import { get as getEncrypted } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { type Environment, readSettings } from '../../config/environment';
import { CommandError, type CommandFile } from '../command';
import { print } from '../output';

/** Timeout of one check, in milliseconds; readiness responds within 2 seconds. */
const TIMEOUT_MS = 5000;
const INTERVAL_MS = 250;

/** Local addresses of a service that listens on every address. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

interface Options {
  live?: true;
  wait: number;
}

export const configure: CommandFile['configure'] = (command: Command) => {
  command
    .option('--live', 'check only that the process runs, not that it is ready')
    .option('--wait <seconds>', 'retry until the service is ready, for at most this long', seconds, 0)
    .action(checkHealth);
};

async function checkHealth({ live, wait }: Options): Promise<void> {
  const environment = readSettings();
  if (environment.PORT === 0) throw new CommandError('PORT=0 selects a port unknown to this command.');
  const path = live ? '/health/live' : '/health/ready';
  const deadline = performance.now() + wait * 1000;
  let problem = await problemOf(environment, path);
  while (problem !== undefined && performance.now() < deadline) {
    await sleep(INTERVAL_MS);
    problem = await problemOf(environment, path);
  }
  if (problem !== undefined) throw new CommandError(problem);
  print(live ? 'The service is running.' : 'The service is ready.');
}

/** Returns what is wrong with the service, as a sentence; undefined if it responds with 200. */
async function problemOf(environment: Environment, path: string): Promise<string | undefined> {
  const { HOST: host, PORT: port, scheme } = environment;
  const place = `port ${port} of ${LOOPBACK[host] ?? host}`;
  try {
    const status = await ask(scheme, { host: LOOPBACK[host] ?? host, port, path });
    return status === 200 ? undefined : `The service on ${place} answered ${path} with ${status}.`;
  } catch (error) {
    return `The service on ${place} does not answer: ${(error as Error).message}`;
  }
}

/** Sends a request and returns the status of the response. */
function ask(
  scheme: 'http' | 'https',
  target: { host: string; port: number; path: string },
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const receive = (response: IncomingMessage): void => {
      response.resume();
      resolve(response.statusCode);
    };
    const request =
      scheme === 'https'
        ? // The certificate names the public address, not the one of this machine.
          getEncrypted({ ...target, signal, agent: false, rejectUnauthorized: false }, receive)
        : getPlain({ ...target, signal, agent: false }, receive);
    request.once('error', reject);
  });
}

function seconds(text: string): number {
  if (!/^[0-9]{1,5}$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds.');
  return Number(text);
}
