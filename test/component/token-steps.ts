/** Fake reports of the main process about the token of the active connection. */
import type { Page } from '@playwright/test';
import { CONNECTION_ID, type FakeWindow } from './fake-main/scenario.ts';

/** Sends the report that follows a rejected request. */
export function refuseToken(page: Page, state = 'unauthorized'): Promise<void> {
  return page.evaluate(
    ({ connectionId, now }) => {
      const { fakeEvent } = globalThis as unknown as FakeWindow;
      const error = {
        code: 'UNAUTHORIZED',
        title: 'Token not accepted',
        message: 'GET /v3/applications was answered 401.',
        retry: 'never',
        details: {},
      };
      fakeEvent('connections:network-changed', {
        ...{ connectionId, state: now, sinceMs: Date.now(), lastAnswerMs: null, silence: null },
        error: now === 'unauthorized' ? error : null,
      });
    },
    { connectionId: CONNECTION_ID, now: state },
  );
}

/** Acts as if a request was answered again, so `refused` lists can be read from now on. */
export async function acceptToken(page: Page): Promise<void> {
  await page.evaluate(() => {
    (globalThis as unknown as FakeWindow).isTokenAccepted = true;
  });
  await refuseToken(page, 'online');
}
