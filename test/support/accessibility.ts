import { readFileSync } from 'node:fs';
import { type Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** What axe checks in each colour scheme: in the second, only what depends on colours. */
const OPTIONS = {
  light: { resultTypes: ['violations'] },
  dark: { resultTypes: ['violations'], runOnly: ['color-contrast', 'link-in-text-block'] },
};

/** Lists what axe finds on a page, for both colour schemes, and whether it is too wide for a narrow screen. */
export async function violationsOf(page: Page): Promise<string[]> {
  const found: string[] = [];
  // Not by the page itself, whose policy allows no script of others.
  await page.evaluate(AXE);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      `axe.run(${JSON.stringify(OPTIONS[colorScheme])})`,
    );
    found.push(...violations.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes[0]?.html}`));
  }
  if (!(await isNarrow(page))) found.push('wider than 320 pixels');
  return found;
}

/** Whether a page fits a screen of 320 pixels. */
export async function isNarrow(page: Page): Promise<boolean> {
  await page.setViewportSize({ width: 320, height: 640 });
  const isTooWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
  await page.setViewportSize({ width: 1280, height: 800 });
  return !isTooWide;
}
