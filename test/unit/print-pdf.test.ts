/** A page is printed as PDF: the hidden window, the time of printing, failures, and cleanup. */
import { expect, test } from 'vitest';
import { PagesToPrint } from '../../electron/platform/pages-to-print.ts';
import { createPrintPdf } from '../../electron/platform/print-pdf.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

type OpenWindow = Parameters<typeof createPrintPdf>[0]['openWindow'];

/** A window whose page becomes ready when `draw` is called. */
function printer(country = 'DE') {
  const pages = new PagesToPrint(() => 'one');
  const clock = new VirtualClock();
  const seen: { said: string[]; served: string | null; paper: string | undefined } = {
    ...{ said: [], served: null, paper: undefined },
  };
  const drawn = Promise.withResolvers<unknown>();
  const openWindow: OpenWindow = ({ show, focusable, webPreferences }) => {
    seen.said.push(`open ${show === false && focusable === false && webPreferences?.sandbox === true}`);
    return {
      loadURL: async (url) => {
        seen.served = (await pages.answer(url)?.text()) ?? null;
      },
      destroy: () => seen.said.push('destroy'),
      isDestroyed: () => false,
      webContents: {
        executeJavaScript: () => drawn.promise,
        printToPDF: ({ pageSize }) => {
          seen.said.push('print');
          seen.paper = typeof pageSize === 'string' ? pageSize : undefined;
          return Promise.resolve(Buffer.from('%PDF-'));
        },
        setWindowOpenHandler: () => undefined,
        on: () => undefined,
      },
    };
  };
  return {
    pages,
    clock,
    seen,
    drawn,
    print: createPrintPdf({ pages, clock, openWindow, country: () => country }),
  };
}

test('a page is printed once it is drawn, in a window that is never shown and is closed afterwards', async () => {
  const { pages, seen, drawn, print } = printer();
  const printed = print('<h1>Report</h1>');
  await expect.poll(() => seen.served).toBe('<h1>Report</h1>');
  expect(seen.said).toEqual(['open true']);
  drawn.resolve(true);
  expect(Buffer.from(await printed).toString()).toBe('%PDF-');
  expect(seen.said).toEqual(['open true', 'print', 'destroy']);
  expect(pages.answer('app://print/one')).toBeNull();
});

test.each([
  ['DE', 'A4'],
  ['', 'A4'],
  ['US', 'Letter'],
])('in the country "%s" the paper is %s', async (country, paper) => {
  const { seen, drawn, print } = printer(country);
  drawn.resolve(true);
  await print('<p></p>');
  expect(seen.paper).toBe(paper);
});

test('a page that is never drawn, or fails, is closed and says what to do', async () => {
  for (const fail of ['late', 'crash'] as const) {
    const { pages, clock, seen, drawn, print } = printer();
    const printed = print('<p></p>');
    printed.catch(() => undefined);
    await expect.poll(() => seen.served).toBe('<p></p>');
    if (fail === 'late') await clock.advance(60_000);
    else drawn.reject(new Error('The page crashed.'));
    await expect(printed).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('Save the report as HTML'),
    });
    expect(seen.said).toEqual(['open true', 'destroy']);
    expect(pages.answer('app://print/one')).toBeNull();
  }
});

test('a page to print is served from an origin of its own, is kept out of caches and cannot connect', () => {
  const pages = new PagesToPrint(() => 'one');
  const answer = pages.answer(pages.add('<p></p>'));
  expect(answer?.headers.get('content-security-policy')).toMatch(
    /^sandbox allow-scripts; connect-src 'none'/,
  );
  expect(answer?.headers.get('cache-control')).toBe('no-store');
  for (const url of ['app://spandeck/one', 'app://print/two', 'app://print/'])
    expect(pages.answer(url)).toBeNull();
});
