// Pictures of a page: light, dark, 400 pixels wide, and as it is printed. The best are kept in docs/images.
//
// usage: shots.mjs FILE DIR
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.env.NPM_DIR, 'package.json'));
const { default: puppeteer } = await import(pathToFileURL(require.resolve('puppeteer-core')));
const [file, dir] = process.argv.slice(2);
const name = basename(file, '.html');
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-dev-shm-usage'],
});
const page = await browser.newPage();
for (const [view, width, height, scheme] of [['light', 1180, 900, 'light'], ['dark', 1180, 900, 'dark'], ['narrow', 400, 860, 'light']]) {
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.goto(pathToFileURL(resolve(file)).href);
  await page.screenshot({ path: join(dir, `${name}-${view}.png`) });
  await page.screenshot({ path: join(dir, `${name}-${view}-whole.png`), fullPage: true });
}
await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
await page.pdf({ path: join(dir, `${name}.pdf`), format: 'A4', margin: { top: '12mm', bottom: '12mm', left: '12mm', right: '12mm' } });
await browser.close();
