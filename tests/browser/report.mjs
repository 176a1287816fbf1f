// Opens a report in a browser: nothing may go wrong or go out, by mouse, by keyboard, in the dark, on a phone, on paper.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [file, shots] = process.argv.slice(2);
const url = pathToFileURL(resolve(file)).href;
if (shots) mkdirSync(shots, { recursive: true });
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: flags });

const open = async (options) => {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("request", (request) => request.url() !== url && !request.url().startsWith("data:") && wrong.push("loads " + request.url()));
  page.on("dialog", (dialog) => { wrong.push("dialog " + dialog.message()); dialog.dismiss(); });
  await page.addInitScript(() => {
    // The pixels of a canvas, read from a copy.
    window.pixels = (canvas) => {
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
      copy.drawImage(canvas, 0, 0);
      return copy.getImageData(0, 0, canvas.width, canvas.height).data;
    };
  });
  await page.goto(url);
  await page.waitForFunction(() => document.querySelectorAll(".chart canvas").length >= document.querySelectorAll(".chart").length);
  const shot = async (name, more) => shots && page.screenshot({ path: `${shots}/${name}.png`, ...more });
  return { page, wrong, shot, close: () => context.close() };
};

const wide = await page_wide();
await in_the_dark();
await on_a_phone();
await browser.close();
console.log(`${wide} charts: no errors, nothing loaded, works by keyboard, in the dark, on a phone and on paper`);

async function page_wide() {
  const { page, wrong, shot, close } = await open({ viewport: { width: 1280, height: 900 }, colorScheme: "light" });
  const charts = await page.locator(".chart").count();
  await shot("light", { fullPage: true });
  await shot("top");

  // Every chart has drawn something, and says in words what it shows.
  const blank = await page.evaluate(() => [...document.querySelectorAll(".chart")].filter((chart) => {
    return !window.pixels(chart.querySelector("canvas")).some((value) => value !== 0) || !chart.getAttribute("aria-label");
  }).map((chart) => chart.dataset.chart));
  assert.deepEqual(blank, []);

  // Moves over places where a chart has drawn in colour until a tooltip of these words comes.
  const hover = async (chart, words) => {
    const element = page.locator(chart).first();
    await element.scrollIntoViewIfNeeded();
    const box = await element.boundingBox();
    const places = await element.evaluate((element) => {
      const canvas = element.querySelector("canvas");
      const values = window.pixels(canvas);
      const coloured = [];
      for (let i = 0; i < values.length; i += 4) {
        const [r, g, b, a] = values.slice(i, i + 4);
        if (a > 128 && Math.max(r, g, b) - Math.min(r, g, b) > 90) coloured.push(i / 4);
      }
      const few = Array.from({ length: 60 }, (_, i) => coloured[Math.floor((i + 0.5) / 60 * coloured.length)]);
      return few.filter((at) => at != null).map((at) => [(at % canvas.width) / canvas.width, Math.floor(at / canvas.width) / canvas.height]);
    });
    for (const [x, y] of places) {
      await page.mouse.move(box.x + box.width * x, box.y + box.height * y);
      const tips = await page.evaluate(() => [...document.querySelectorAll(".tip")].map((tip) => tip.textContent));
      if (tips.some((text) => words.test(text))) return true;
    }
    return false;
  };

  // A class is taken off the maps by keyboard alone, and it is said.
  const chip = page.locator(".chip").first();
  if (await chip.count()) {
    // Pictures of the map stay in the page, for they are large; what comes back is the share of pixels of another colour.
    const take = (name) => page.evaluate((name) => {
      (window.pictures ??= {})[name] = window.pixels(document.querySelector('[data-which="after"] canvas'));
    }, name);
    const differ = async (name) => {
      await take("now");
      return page.evaluate((name) => {
        const { now, [name]: then } = window.pictures;
        let n = 0;
        for (let i = 0; i < now.length; i += 4) n += [0, 1, 2, 3].some((k) => Math.abs(now[i + k] - then[i + k]) > 60);
        return n / (now.length / 4);
      }, name);
    };
    // Edges may be drawn a little differently after a zoom.
    const same = async (name) => { const share = await differ(name); assert.ok(share < 0.0005, `${share} of the pixels differ`); };
    const other = async (name) => { const share = await differ(name); assert.ok(share > 0.001, `only ${share} of the pixels differ`); };
    await take("before");
    await page.locator('.controls input[value="domain"]').first().focus();
    for (let i = 0; i < 20 && !(await chip.evaluate((e) => e === document.activeElement)); i++) await page.keyboard.press("Tab");
    assert.ok(await chip.evaluate((e) => e === document.activeElement), "the first class cannot be reached by Tab");
    await page.keyboard.press("Space");
    assert.equal(await chip.getAttribute("aria-pressed"), "false");
    assert.match(await page.locator("#live").textContent(), /hidden$/);
    await other("before");
    await page.keyboard.press("Enter");
    assert.equal(await chip.getAttribute("aria-pressed"), "true");
    await same("before");

    // By domain, and zoomed.
    await page.locator('.controls input[value="domain"]').first().press("Space");
    await shot("domain");
    await other("before");
    await page.locator('[data-zoom="in"]').first().press("Enter");
    await take("zoomed");
    await page.locator('[data-zoom="reset"]').first().press("Enter");
    await other("zoomed");
    await page.locator('.controls input[value="class"]').first().press("Space");
    await same("before");

    // Hovering over a point says what it is, as text.
    assert.ok(await hover('[data-which="after"]', /row/), "no tooltip on the map");
    await shot("hover");
  }

  // Another task is chosen by keyboard: the seeds are drawn anew, and it is said which row is best.
  const select = page.locator("select[data-groups]").first();
  if (await select.count()) {
    const picture = () => page.evaluate(() => window.pixels(document.querySelector('[data-chart="boxes"] canvas')).reduce((sum, value, i) => (sum * 31 + value * (i % 977)) % 1000000007, 7));
    const first = await picture();
    await select.focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await select.inputValue(), "1");
    assert.match(await page.locator("#live").textContent(), /^Accuracy on .*; best is /);
    assert.notEqual(await picture(), first, "another task, the same picture");
    assert.ok(await hover('[data-chart="boxes"]', /seed/), "no tooltip on a seed");
  }

  // A table sorts by its headers.
  const header = page.locator("table[data-sortable] th.n button").first();
  if (await header.count()) {
    await header.press("Enter");
    assert.equal(await page.locator("table[data-sortable] th[aria-sort]").first().getAttribute("aria-sort"), "descending");
  }
  const pdf = await page.pdf({ format: "A4", margin: { top: "14mm", bottom: "14mm", left: "14mm", right: "14mm" }, ...(shots ? { path: `${shots}/paper.pdf` } : {}) });
  assert.ok(pdf.length > 20_000, "an empty PDF");
  assert.deepEqual(wrong, []);
  await close();
  return charts;
}

async function in_the_dark() {
  const { page, wrong, shot, close } = await open({ viewport: { width: 1280, height: 900 }, colorScheme: "dark" });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
  assert.ok((await background()).every((part) => part < 64), "the dark is bright");
  await shot("dark", { fullPage: true });
  // And it follows a change of mind.
  await page.emulateMedia({ colorScheme: "light" });
  assert.ok((await background()).every((part) => part > 200));
  assert.deepEqual(wrong, []);
  await close();
}

async function on_a_phone() {
  const { page, wrong, shot, close } = await open({ viewport: { width: 375, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true, colorScheme: "light" });
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `the page is ${content} wide on a screen of ${window}`);
  await shot("phone", { fullPage: true });
  assert.deepEqual(wrong, []);
  await close();
}
