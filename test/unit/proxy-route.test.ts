/** The route of requests, and the setting that determines it. */
import { expect, test } from 'vitest';
import { type Environment, findRoute, routeText } from '../../electron/api/proxy-route.ts';

const SERVICE = 'https://monitoring.example.com';

async function route(
  origin: string,
  environment: Environment = {},
  ofConnection: string | null = null,
): Promise<string> {
  return routeText(await findRoute(origin, ofConnection, environment, null));
}

test('the connection overrides the environment, the environment overrides the system', async () => {
  const environment = { HTTPS_PROXY: 'http://env.example.com:3128' };
  const ask = (answer: string) => async () => answer;
  expect(await route(SERVICE, environment, 'own.example.com:8080')).toBe(
    'Through own.example.com:8080: as set in the connection',
  );
  expect(await route(SERVICE, environment, 'direct')).toBe('Directly: as set in the connection');
  expect(await route(SERVICE, environment)).toBe('Through env.example.com:3128: as set in HTTPS_PROXY');
  expect(routeText(await findRoute(SERVICE, null, {}, ask('PROXY sys.example.com:80; DIRECT')))).toBe(
    'Through sys.example.com: as set in the system',
  );
  expect(routeText(await findRoute(SERVICE, null, environment, ask('PROXY sys.example.com:80')))).toContain(
    'env.example.com',
  );
  expect(routeText(await findRoute(SERVICE, null, {}, ask('DIRECT')))).toBe('Directly: no proxy is set');
  expect(await route(SERVICE)).toBe('Directly: no proxy is set');
});

test('a service on this computer is reached directly, unless the connection sets a proxy', async () => {
  const environment = { HTTPS_PROXY: 'http://p:1', http_proxy: 'http://p:1' };
  expect(await route('http://127.0.0.1:8000', environment)).toBe('Directly: it runs on this computer');
  expect(await route('https://localhost', environment)).toBe('Directly: it runs on this computer');
  expect(await route('http://localhost', environment, 'http://p:1')).toBe(
    'Through p:1: as set in the connection',
  );
});

test.each<[name: string, origin: string, environment: Environment, expected: string]>([
  ['small letters', SERVICE, { https_proxy: 'p:3128' }, 'Through p:3128: as set in https_proxy'],
  [
    'plain http',
    'http://a.example',
    { HTTP_PROXY: 'p:1', HTTPS_PROXY: 'q:1' },
    'Through p:1: as set in HTTP_PROXY',
  ],
  ['for all', SERVICE, { ALL_PROXY: 'http://p:1' }, 'Through p:1: as set in ALL_PROXY'],
  ['SOCKS', SERVICE, { ALL_PROXY: 'socks5h://me:secret@p:1' }, 'Through p:1: as set in ALL_PROXY'],
  ['empty', SERVICE, { HTTPS_PROXY: '  ' }, 'Directly: no proxy is set'],
  [
    'a password is never shown',
    SERVICE,
    { HTTPS_PROXY: 'http://me:secret@p:1' },
    'Through p:1: as set in HTTPS_PROXY',
  ],
])('%s', async (_name, origin, environment, expected) => {
  expect(await route(origin, environment)).toBe(expected);
});

test.each<[entry: string, origin: string, isDirect: boolean]>([
  ['example.com', SERVICE, true],
  ['.example.com', SERVICE, true],
  ['*.example.com', SERVICE, true],
  ['EXAMPLE.com, other.org', SERVICE, true],
  ['other.org example.com', SERVICE, true],
  ['ample.com', SERVICE, false],
  ['monitoring.example.com:443', SERVICE, true],
  ['monitoring.example.com:8443', SERVICE, false],
  ['monitoring.example.com:8443', 'https://monitoring.example.com:8443', true],
  ['*', SERVICE, true],
  ['', SERVICE, false],
  ['10.0.0.0/8', 'https://10.1.2.3', true],
  ['10.0.0.0/8', 'https://11.1.2.3', false],
  ['10.0.0.0/99', 'https://10.1.2.3', false],
  ['fd00::/8', 'https://[fd12::1]', true],
  ['[fd12::1]', 'https://[fd12::1]', true],
  ['10.1.2.3', 'https://10.1.2.3', true],
])('NO_PROXY=%s with %s', async (entry, origin, isDirect) => {
  const text = await route(origin, { HTTPS_PROXY: 'http://p:1', NO_PROXY: entry });
  expect(text).toBe(isDirect ? 'Directly: as set in NO_PROXY' : 'Through p:1: as set in HTTPS_PROXY');
});

test('an invalid proxy is reported, without a possible password', async () => {
  const bad = route(SERVICE, { HTTPS_PROXY: 'socks4://me:secret@p:1' });
  await expect(bad).rejects.toMatchObject({
    code: 'PROXY_FAILED',
    message: expect.stringContaining('HTTPS_PROXY'),
  });
  await expect(bad).rejects.not.toMatchObject({ message: expect.stringContaining('secret') });
  const other = findRoute(SERVICE, null, {}, async () => 'SOCKS p:1');
  await expect(other).rejects.toMatchObject({
    code: 'PROXY_FAILED',
    message: expect.stringContaining('SOCKS p:1'),
  });
  const second = await findRoute(SERVICE, null, {}, async () => 'SOCKS p:1; HTTPS q:2');
  expect(second).toMatchObject({ proxy: 'https://q:2', source: 'system' });
  const socks = await findRoute(SERVICE, null, {}, async () => 'SOCKS5 p:1; DIRECT');
  expect(socks).toMatchObject({ proxy: 'socks5://p:1', source: 'system' });
});
