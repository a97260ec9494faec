import { join } from 'node:path';
import { type Browser, type Locator, type Page } from 'playwright-core';
import { describeInBrowser, launchChromium } from '../support/chromium';
import { World } from '../support/world';

const SCREENSHOT = join(__dirname, '../../docs/swagger-ui.png');
/** Shows the request and the response of an operation, low enough for a document: without headers and documented responses. */
const REQUEST_AND_RESPONSE = `
  .responses-inner > .responses-table, .responses-inner > div > h4:last-child,
  div:has(> .request-url), .live-responses-table .response-col_description > div:last-of-type { display: none; }
  textarea.body-param__text { height: 140px !important; min-height: 0 !important; }
  .live-responses-table .highlight-code pre { max-height: 300px !important; }
`;

describeInBrowser('the Swagger UI in Chromium (CHROMIUM_PATH)', () => {
  let world: World;
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    world = await World.start({ DEMO_DATA: 'true' });
    browser = await launchChromium();
    // One page for all tests, because it takes seconds to show the document.
    page = await browser.newPage({ viewport: { width: 1280, height: 1240 }, colorScheme: 'light' });
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('requestfailed', (request) => faults.push(`${request.url()} ${request.failure()?.errorText}`));
    page.on('response', (response) => {
      if (response.status() >= 400) faults.push(`${response.url()} ${response.status()}`);
    });
    await page.goto(new URL('/', world.server.baseUrl).toString());
    await authorize();
  });

  afterAll(async () => {
    await (browser as Browser | undefined)?.close();
    await world.stop();
  });

  // The page itself must load without a fault, too.
  afterEach(() => {
    expect(faults.splice(0)).toEqual([]);
  });

  async function authorize(): Promise<void> {
    await page.locator('.auth-wrapper button.authorize').click();
    const scheme = page.locator('.auth-container').filter({ hasText: 'X-API-Key' });
    await scheme.locator('input').fill(world.server.adminKey);
    await scheme.getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).first().click();
  }

  /** Opens an operation and its form. */
  async function open(tag: string, operationId: string): Promise<Locator> {
    const group = page.locator(`[id="operations-tag-${tag}"]`);
    if ((await group.getAttribute('data-is-open')) !== 'true') await group.click();
    const operation = page.locator(`.opblock[id$="-${operationId}"]`);
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    return operation;
  }

  /** Executes an operation, and returns the response that the page shows. */
  async function execute(operation: Locator): Promise<{ status: string; body: string }> {
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table tbody .response');
    return {
      status: await textOf(answer.locator('.response-col_status')),
      body: await textOf(answer.locator('.highlight-code').first()),
    };
  }

  /** Executes an operation with its prefilled values. */
  const tryOut = async (tag: string, operationId: string): Promise<{ status: string; body: string }> =>
    execute(await open(tag, operationId));

  const textOf = async (place: Locator): Promise<string> => (await place.innerText()).trim();

  it('lists the operations', async () => {
    await page.locator('#operations-tag-Webhooks').waitFor();

    expect(await page.locator('.opblock-tag h3, h3.opblock-tag').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining('Pull requests'), expect.stringContaining('Issues')]),
    );
  });

  it('offers headers for the API key before the query parameter', async () => {
    const offered = (): Promise<string[]> => page.locator('.auth-container h4 code').allInnerTexts();
    await page.locator('.auth-wrapper button.authorize').click();
    expect(await offered()).toEqual(['apiKeyHeader', 'bearer', 'apiKeyQuery']);
    await page.getByRole('button', { name: 'Close' }).first().click();

    const operation = await open('Users', 'getMyself');
    await operation.locator('.opblock-summary .authorization__btn').click();
    expect(await offered()).toEqual(['apiKeyHeader', 'bearer', 'apiKeyQuery']);
    await page.getByRole('button', { name: 'Close' }).first().click();
  });

  it('opens at the root address of the service', async () => {
    await page.locator('#operations-tag-Webhooks').waitFor();
    expect(new URL(page.url()).pathname).toBe('/api-docs');
  });

  it('lists issues by the id of a status', async () => {
    const operation = await open('Issues', 'listIssues');
    const ids = operation.locator('tr[data-param-name="statusId"]');
    await ids.getByRole('button', { name: /^Add/ }).click();
    await ids.locator('input').fill('1');
    const { status, body } = await execute(operation);

    expect(status).toBe('200');
    expect(body).toContain('DEMO-1');
    expect(await textOf(operation.locator('.request-url'))).toContain('statusId=1');
  });

  it('lists the comments of the pull request in the demo project', async () => {
    const { status, body } = await tryOut('Pull_requests', 'listPullRequestComments');

    expect(status).toBe('200');
    expect(body).toContain('Looks good to me.');
  });

  it('adds the example comment to an issue of the demo project', async () => {
    const operation = await open('Issues', 'addIssueComment');
    const { status, body } = await execute(operation);

    expect(status).toBe('201');
    expect(body).toContain('Works on the release branch, too.');
    if (process.env.UPDATE_SCREENSHOTS === '1') {
      await operation.screenshot({ path: SCREENSHOT, style: REQUEST_AND_RESPONSE });
    }
  });
});
