/** Connecting: the token leaves its field only once, and no copy of it remains in the window. */
import type { Page } from '@playwright/test';
import { CONNECTION_ID, type FakeWindow } from './fake-main/scenario.ts';
import { callsOf, expect, test } from './fixtures.ts';
import { takePicture } from './pictures.ts';
import { refuseToken } from './token-steps.ts';

const TOKEN = 'tok-3f9c1d7a5b2e4860-Zq8';

test('offers two ways to start on the first run', async ({ open }) => {
  const page = await open({ isFirstRun: true });
  await page.getByRole('button', { name: /Open sample workspace/ }).click();
  await expect(page.getByRole('button', { name: 'Connection: Sample workspace' })).toBeVisible();
  await expect(page.getByRole('grid', { name: 'Applications' })).toBeVisible();
});

test('chooses certificate authorities in the file dialog of the system', async ({ open }) => {
  const page = await open({ isFirstRun: true });
  await page.getByRole('button', { name: /Connect to a service/ }).click();
  await page.getByText('Network', { exact: true }).click();
  await page.getByRole('button', { name: 'Choose…', exact: true }).click();
  await expect(page.getByRole('textbox', { name: /^Extra certificate/ })).toHaveValue(
    '/home/mara/company-ca.pem',
  );
});

test('a menu leads into the form of a connection, and a token is replaced without a press more', async ({
  open,
}) => {
  const page = await open();
  await page.getByRole('button', { name: 'Connection: Production' }).click();
  await page.getByRole('menuitem', { name: 'Edit this connection…' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.getByRole('button', { name: 'Replace token' }).press('Enter');
  await expect(page.getByLabel('New access token')).toBeFocused();
  await page.getByRole('button', { name: 'Keep the old token' }).press('Enter');
  await expect(page.getByRole('button', { name: 'Replace token' })).toBeFocused();
});

test('sends the proxy password and the certificate passphrase once from their fields', async ({ open }) => {
  const page = await open();
  await page.getByRole('button', { name: 'Connection: Production' }).click();
  await page.getByRole('menuitem', { name: 'Edit this connection…' }).click();
  await page.getByText('Network', { exact: true }).click();
  await expect(page.getByLabel('Password of the proxy')).toBeHidden();
  await page.getByRole('textbox', { name: /^Proxy/ }).fill('socks5://proxy.example.com:1080');
  await expect(page.getByLabel('Password of the proxy')).toBeDisabled();
  await page.getByLabel('User name of the proxy').fill('mara');
  await page.getByLabel('Password of the proxy').fill('pass word');
  await page.getByRole('button', { name: 'Choose the client certificate' }).click();
  await expect(page.getByRole('textbox', { name: /^Client certificate/ })).toHaveValue('/home/mara/mara.p12');
  await page.getByLabel('Passphrase of the client certificate').fill('phrase of mine');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('One is kept. Type another to replace it.')).toHaveCount(2);
  const [saved] = await callsOf(page, 'connections:save');
  expect(saved?.argument).toMatchObject({
    draft: {
      proxyUrl: 'socks5://proxy.example.com:1080',
      proxyUser: 'mara',
      clientCertFile: '/home/mara/mara.p12',
    },
    token: null,
    secrets: { proxy: 'pass word', certificate: 'phrase of mine' },
  });
  await expect(page.getByLabel('Password of the proxy')).toHaveValue('');
  await expect(page.getByLabel('Passphrase of the client certificate')).toHaveValue('');
  // The stored password does not apply to another proxy.
  await page.getByRole('textbox', { name: /^Proxy/ }).fill('http://other.example.com:3128');
  await expect(page.getByText('One is kept. Type another to replace it.')).toHaveCount(1);
});

test('shows problems of a new connection in place, tests and connects it, and leaves no trace of the token', async ({
  open,
}) => {
  const page = await open({ isFirstRun: true });
  await page.getByRole('button', { name: /Connect to a service/ }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('Staging');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await expect(page.getByText('Enter an access token.')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Base URL' })).toBeFocused();
  expect(await callsOf(page, 'connections:save')).toHaveLength(0);

  await page.getByRole('textbox', { name: 'Name' }).fill('Staging');
  await page.getByRole('textbox', { name: 'Base URL' }).fill('https://staging.example.com');
  const token = page.getByLabel('Access token');
  await expect(token).toHaveAttribute('type', 'password');
  await token.fill(TOKEN);
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.getByRole('status', { name: 'Result of the test' })).toContainText('Connected');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Connection: Staging' })).toBeVisible();
  const [saved] = await callsOf(page, 'connections:save');
  expect(saved?.argument['token']).toBe(TOKEN);

  await page.getByRole('button', { name: 'Connection: Staging' }).click();
  await page.getByRole('menuitem', { name: 'Edit this connection…' }).click();
  await expect(page.getByText('••••-Zq8')).toBeVisible();
  expect(await page.content()).not.toContain(TOKEN);
});

test('tells before another address is saved that unfinished jobs of the present service rest', async ({
  open,
}) => {
  const page = await open({ outbox: 'full' });
  await page.getByRole('button', { name: 'Connection: Production' }).click();
  await page.getByRole('menuitem', { name: 'Edit this connection…' }).click();
  const address = page.getByRole('textbox', { name: 'Base URL' });
  const notice = page.getByRole('status').filter({ hasText: 'leads to another service' });
  const before = await address.inputValue();
  await address.fill(`${before}/v3/`);
  await expect(notice).toHaveCount(0);
  await address.fill('https://staging.example.com');
  await expect(notice).toContainText(`This leads to another service than ${before}.`);
  await expect(notice).toContainText(
    /Its [1-9]\d* unfinished jobs rest: nothing is sent to the new address until you resume them/,
  );
  await expect(notice).toContainText('add a new connection instead');
  await address.fill(before);
  await expect(notice).toHaveCount(0);
});

test('shows the response of a rejected test and the next step', async ({ open }) => {
  const page = await open({ isFirstRun: true, test: 'refused' });
  await page.getByRole('button', { name: /Connect to a service/ }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Staging');
  await page.getByRole('textbox', { name: 'Base URL' }).fill('https://staging.example.com');
  await page.getByLabel('Access token').fill(TOKEN);
  await page.getByRole('button', { name: 'Test connection' }).click();
  const result = page.getByRole('alert', { name: 'Result of the test' });
  await expect(result).toContainText('Token not accepted');
  await expect(result).toContainText('Next: Copy the token again');
});

test('shows in every view that the keychain is asking for permission', async ({ open }) => {
  for (const scenario of [{}, { isFirstRun: true }]) {
    const page = await open(scenario);
    if ('isFirstRun' in scenario) await page.getByRole('button', { name: /Connect to a service/ }).click();
    const notify = (isKeychainWaiting: boolean) =>
      page.evaluate(async (isWaiting) => {
        const fake = globalThis as unknown as FakeWindow & {
          spandeck: { invoke: (channel: string) => Promise<{ value: object }> };
        };
        const { value } = await fake.spandeck.invoke('connections:list');
        fake.fakeEvent('connections:changed', { ...value, isKeychainWaiting: isWaiting });
      }, isKeychainWaiting);
    const line = page.getByText('Waiting for the keychain: your system may be asking for permission.');
    await notify(true);
    await expect(line).toBeVisible();
    await notify(false);
    await expect(line).toHaveCount(0);
  }
});

async function fillNew(page: Page, address: string): Promise<void> {
  await page.getByRole('button', { name: /Connect to a service/ }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Staging');
  await page.getByRole('textbox', { name: 'Base URL' }).fill(address);
  await page.getByLabel('Access token').fill(TOKEN);
}

test('tests the connection on Connect, keeps a rejected token in the form, and saves it only on request', async ({
  open,
}) => {
  const page = await open({ isFirstRun: true, test: 'refused' });
  await fillNew(page, 'https://staging.example.com');
  const anyway = page.getByRole('button', { name: 'Save anyway' });
  await expect(anyway).toHaveCount(0);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await expect(page.getByRole('alert', { name: 'Result of the test' })).toContainText('Token not accepted');
  expect(await callsOf(page, 'connections:save')).toHaveLength(0);
  expect((await callsOf(page, 'connections:test')).map(({ argument }) => argument['draft'])).toEqual([
    expect.objectContaining({ baseUrl: 'https://staging.example.com' }),
  ]);
  await takePicture(page, test.info(), 'refused');
  await anyway.click();
  await expect(page.getByRole('button', { name: 'Connection: Staging' })).toBeVisible();
  expect(await callsOf(page, 'connections:save')).toHaveLength(1);
});

test('tests an edited connection only if the way to reach the service changed', async ({ open }) => {
  const page = await open({ test: 'refused' });
  await page.getByRole('button', { name: 'Connection: Production' }).click();
  await page.getByRole('menuitem', { name: 'Edit this connection…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Live');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Connection: Live' })).toBeVisible();
  expect(await callsOf(page, 'connections:test')).toHaveLength(0);
  await page.getByRole('textbox', { name: 'Base URL' }).fill('https://other.example.com');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('alert', { name: 'Result of the test' })).toBeVisible();
  expect(await callsOf(page, 'connections:save')).toHaveLength(1);
});

for (const [what, edit] of [
  [
    'the base URL',
    (page: Page) => page.getByRole('textbox', { name: 'Base URL' }).fill('https://other.example'),
  ],
  ['the token', (page: Page) => page.getByLabel('Access token').press('x')],
] as const) {
  test(`discards the test result when ${what} is edited, but not when the name is`, async ({ open }) => {
    const page = await open({ isFirstRun: true, test: 'refused' });
    await fillNew(page, 'https://staging.example.com');
    await page.getByRole('button', { name: 'Test connection' }).click();
    const result = page.getByRole('alert', { name: 'Result of the test' });
    await expect(result).toBeVisible();
    await page.getByRole('textbox', { name: 'Name' }).fill('Another name');
    await expect(result).toBeVisible();
    await edit(page);
    await expect(result).toBeHidden();
  });
}

for (const [typed, whole] of [
  ['staging.example.com', 'https://staging.example.com'],
  ['127.0.0.1:18099', 'http://127.0.0.1:18099'],
] as const) {
  test(`completes an address without scheme visibly: ${typed}`, async ({ open }) => {
    const page = await open({ isFirstRun: true });
    await fillNew(page, typed);
    await expect(page.getByRole('textbox', { name: 'Base URL' })).toHaveValue(whole);
    await expect(page.getByText(`${whole.split('//')[0]}// was added.`)).toBeVisible();
    await page.getByRole('textbox', { name: 'Base URL' }).press('Enter');
    await expect.poll(() => callsOf(page, 'connections:save')).toHaveLength(1);
    const [saved] = await callsOf(page, 'connections:save');
    expect(saved?.argument['draft']).toMatchObject({ baseUrl: whole });
  });
}

test('shows the setting for plain http if it is not allowed, and shows no duration as nothing was sent', async ({
  open,
}) => {
  const page = await open({ isFirstRun: true, test: 'insecure' });
  await fillNew(page, 'http://staging.example.com');
  await expect(page.getByRole('checkbox', { name: 'Allow plain http' })).toBeHidden();
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.getByRole('checkbox', { name: 'Allow plain http' })).toBeInViewport();
  const result = page.getByRole('alert', { name: 'Result of the test' });
  await expect(result).toContainText('Not encrypted');
  await expect(result).not.toContainText('Answered in');
  await page.getByRole('checkbox', { name: 'Allow plain http' }).check();
  await expect(result).toBeHidden();
});

test('names the storage of the token as on the first page', async ({ open }) => {
  const page = await open({ isFirstRun: true });
  await page.getByRole('button', { name: /Connect to a service/ }).click();
  await expect(page.getByRole('radio', { name: /^In the keychain/ })).toBeChecked();
});

test('reports a missing keychain before saving, and preselects the session', async ({ open }) => {
  const page = await open({ isFirstRun: true, hasKeychain: false });
  await page.getByRole('button', { name: /Connect to a service/ }).click();
  await expect(page.getByText('No Secret Service answers on this desktop.')).toBeVisible();
  await expect(page.getByRole('radio', { name: /In the keychain/ })).toBeDisabled();
  await expect(page.getByRole('radio', { name: /This session only/ })).toBeChecked();
});

test('replaces a stored token without showing it', async ({ open }) => {
  const page = await open();
  await page.getByRole('button', { name: 'Connection: Production' }).click();
  await page.getByRole('menuitem', { name: 'Edit this connection…' }).click();
  await expect(page.getByText('••••x7Qa')).toBeVisible();
  await page.getByRole('button', { name: 'Replace token' }).click();
  await page.getByLabel('New access token').fill(TOKEN);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('••••-Zq8')).toBeVisible();
});

test('asks for the name before a connection is removed, and lists the data to be deleted', async ({
  open,
}) => {
  const page = await open();
  await page.getByRole('button', { name: 'Connection: Production' }).click();
  await page.getByRole('menuitem', { name: 'Edit this connection…' }).click();
  await page.getByRole('button', { name: 'Forget…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Forget Production' });
  await expect(dialog).toContainText('the token in the keychain');
  const forget = dialog.getByRole('button', { name: 'Forget Production' });
  await expect(forget).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'Type Production to continue' }).fill('Production');
  await forget.click();
  await expect(page.getByText('Forgot Production')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Connection: Sample workspace' })).toBeVisible();
});

test('names the jobs, changes and drafts that are lost with a connection, with their numbers', async ({
  open,
}) => {
  const draft = { form: 'dataset', tabId: '', left: null, atMs: 1, value: { name: 'Refunds' } };
  const page = await open({ outbox: 'full', hasExports: true, layout: { 'draft.one': draft } });
  await page.getByRole('button', { name: 'Connection: Production' }).click();
  await page.getByRole('menuitem', { name: 'Edit this connection…' }).click();
  await page.getByRole('button', { name: 'Forget…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Forget Production' });
  await expect(dialog.getByRole('listitem').first()).toHaveText(
    /^what waits here: [1-9]\d* unfinished jobs?, 4 unsent changes in the outbox, 1 draft$/,
  );
});

const TITLE = 'The service does not accept the token';

test('asks once for a new token if the current one is rejected, and offers it again after “Not now”', async ({
  open,
}) => {
  const page = await open();
  const dialog = page.getByRole('dialog', { name: TITLE });
  for (let times = 0; times < 20; times += 1) await refuseToken(page);
  await expect(dialog).toHaveCount(1);
  await expect(dialog).toContainText('Production');
  await expect(dialog.getByLabel('New access token')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  // The state of the token is checked again, and the token is rejected again.
  await refuseToken(page, 'unknown');
  await refuseToken(page);
  const status = page.getByRole('contentinfo', { name: 'Status' });
  await status.getByRole('button', { name: 'Enter a new token' }).click();
  await dialog.getByRole('button', { name: 'Not now' }).click();
  await expect(dialog).toBeHidden();
  await status.getByRole('button', { name: 'token not accepted' }).click();
  await expect(dialog.getByLabel('New access token')).toBeFocused();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toContainText('Enter an access token.');
  await expect(dialog.getByLabel('New access token')).toBeFocused();
  await page.keyboard.type(TOKEN);
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(status).toContainText('online');
  const saves = await callsOf(page, 'connections:save');
  expect(saves.map(({ argument }) => argument['token'])).toEqual([TOKEN]);
  expect(await page.content()).not.toContain(TOKEN);
  // The new token is rejected too, so the user is asked again.
  await refuseToken(page);
  await expect(dialog).toBeVisible();
});

test('does not store a new token that the service rejects, and shows the reason', async ({ open }) => {
  const page = await open({ test: 'refused' });
  await refuseToken(page);
  const dialog = page.getByRole('dialog', { name: TITLE });
  const field = dialog.getByLabel('New access token');
  await expect(field).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('Enter an access token.');
  await field.fill(TOKEN);
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('alert')).toContainText('it does not know this token');
  await expect(field).toHaveValue('');
  await expect(field).toBeFocused();
  expect(await callsOf(page, 'connections:save')).toEqual([]);
});

test('asks for a token only after an open dialog is closed', async ({ open }) => {
  const page = await open();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: /shortcuts/i });
  await expect(sheet).toBeVisible();
  await refuseToken(page);
  await expect(page.getByRole('dialog')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: TITLE })).toBeVisible();
  await expect(sheet).toBeHidden();
});

test('shows in the status bar that a service accepts requests without answering', async ({ open }) => {
  const page = await open({});
  await page.evaluate(
    ({ connectionId }) =>
      (globalThis as unknown as FakeWindow).fakeEvent('connections:network-changed', {
        ...{ connectionId, state: 'online', sinceMs: 0, error: null, lastAnswerMs: null },
        silence: { operation: 'GET /v3/applications', sentAtMs: Date.now() - 12_000 },
      }),
    { connectionId: CONNECTION_ID },
  );
  await expect(page.getByText(/^no answer for \d+ s$/)).toBeVisible();
});
