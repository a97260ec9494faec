import { readFileSync } from 'node:fs';
import { type Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Lists what axe finds on a page, for both colour schemes, and whether it is too wide for a narrow screen. */
export async function violationsOf(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Not by the page itself, whose policy allows no script of others.
    await page.evaluate(AXE);
    const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      'axe.run()',
    );
    found.push(...violations.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes[0]?.html}`));
  }
  await page.setViewportSize({ width: 320, height: 640 });
  const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
  if (isTooWide) found.push('wider than 320 pixels');
  await page.setViewportSize({ width: 1280, height: 800 });
  return found;
}
