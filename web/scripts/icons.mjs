/** `node scripts/icons.mjs`: draws the PNG icons in static/ from icon.svg, with Chromium. */
import { readFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';

const PAPER = '#fbf8f3';
/** How much of the picture the sign fills; a mask may cut off all but the inner 80 %. */
const ICONS = [
  { name: 'icon-192', size: 192, fills: 1, ground: 'transparent' },
  { name: 'icon-512', size: 512, fills: 1, ground: 'transparent' },
  { name: 'icon-maskable-512', size: 512, fills: 0.56, ground: PAPER },
  { name: 'apple-touch-icon', size: 180, fills: 0.68, ground: PAPER },
];

const folder = new URL('../static/', import.meta.url);
const svg = await readFile(new URL('icon.svg', folder), 'utf8');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
const page = await browser.newPage();
for (const { name, size, fills, ground } of ICONS) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(
    `<style>body{margin:0;height:100vh;display:grid;place-items:center;background:${ground}}
     svg{width:${fills * 100}%}</style>${svg}`,
  );
  await page.screenshot({ path: new URL(`${name}.png`, folder).pathname, omitBackground: true });
}
await browser.close();
