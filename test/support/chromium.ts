import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's browsers. The first one draws the same pages without a window, in half of the processor time. */
const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const executablePath = process.env.CHROMIUM_PATH ?? PLACES.find((path) => existsSync(path));

/** Whether the run leaves these suites to another one: what a browser shows depends on neither Node nor the database. */
const isLeftOut = process.env.TEST_BROWSER === 'no';

/** Describes a suite that needs a browser. Node and npm are enough to run the others; the build machine must have one. */
export const describeInBrowser =
  !isLeftOut && (process.env.CI === 'true' || (executablePath && existsSync(executablePath)))
    ? describe
    : describe.skip;

/** Starts the browser of `CHROMIUM_PATH`, or Debian's. The suite closes it. */
export const launchChromium = (): Promise<Browser> => chromium.launch({ executablePath, args: FLAGS });
