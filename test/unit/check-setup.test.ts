/** Results of the trial start during set-up that must not count as a successful start. */
import { expect, test } from 'vitest';
import { complaintOf } from '../../build/check-setup.ts';

const READY = '{"ready":true,"view":"welcome"}';
const said = (first: string, again: string, hidden: string) =>
  `== first, network: direct\n${first}\n== again, without a network\n${again}\n== without a display\n${hidden}\n`;
const HIDDEN = 'There is no display to open a window on: neither …\n== ended with 1';
const direct = { network: 'direct' } as const;
const without = { ...direct, without: 'without-libsecret' } as const;
const ASKED = `setup: libsecret-1-0 (Debian's name) is not here\n${READY}`;

test('three starts as the README says', () => {
  expect(complaintOf(said(READY, READY, HIDDEN), direct)).toBeNull();
  expect(complaintOf(said(ASKED, READY, HIDDEN), without)).toBeNull();
});

test.each([
  ['the first did not come', said('setup failed', READY, HIDDEN), direct, 'first start'],
  ['the second did not come', said(READY, '', HIDDEN), direct, 'second start'],
  ['set up again', said(READY, `setup: npm ci …\n${READY}`, HIDDEN), direct, 'set up again'],
  ['libsecret not asked for', said(READY, READY, HIDDEN), without, 'not asked for'],
  ['libsecret asked for twice', said(ASKED, ASKED, HIDDEN), without, 'asked for twice'],
  ['no word of the display', said(READY, READY, '== ended with 1'), direct, 'not said'],
  ['ended well without a display', said(READY, READY, HIDDEN.replace('with 1', 'with 0')), direct, 'code 1'],
])('%s', (_name, text, wanted, complaint) => {
  expect(complaintOf(text, wanted)).toContain(complaint);
});
