/** The route to a service is determined again when it may have changed. */
import type { Dispatcher } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { parseBaseUrl } from '../../electron/api/base-url.ts';
import { DEFAULT_LIMITS } from '../../electron/api/http-agent.ts';
import { createHttpTransport, type HttpTransport } from '../../electron/api/http-transport.ts';

const OFFICE = 'PROXY proxy.office.example:3128';
const transports: HttpTransport[] = [];
afterEach(() => Promise.all(transports.splice(0).map((transport) => transport.close())));

/** A transport on a system that returns these proxies one after another, and then keeps returning the last one. */
function transportOf(...answers: string[]) {
  let asked = 0;
  const systemProxy = async () => {
    const answer = answers[Math.min(asked, answers.length - 1)] ?? 'DIRECT';
    asked += 1;
    return answer;
  };
  const surroundings = { environment: {}, systemProxy, systemCertificates: async () => [] };
  const baseUrl = parseBaseUrl('https://service.example', { allowsPlainHttp: false });
  const transport = createHttpTransport(
    { baseUrl, proxyUrl: null, extraCaFile: null, surroundings },
    DEFAULT_LIMITS,
  );
  transports.push(transport);
  return { transport, asked: () => asked };
}

const notFound = () => Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
const isUnsent = () => true;

test('a request that fails at the proxy of another network uses the new route at once', async () => {
  const { transport } = transportOf(OFFICE, 'DIRECT');
  const tried: Dispatcher[] = [];
  const exchange = async (agent: Dispatcher) => {
    tried.push(agent);
    if (tried.length === 1) throw notFound();
    return 'answered';
  };
  expect(await transport.use(exchange, isUnsent)).toBe('answered');
  expect(new Set(tried).size).toBe(2);
  expect(transport.describe()).toContain('Directly');
});

test('a failure on the same route is reported, and the route is resolved again after each failure', async () => {
  const { transport, asked } = transportOf(OFFICE);
  const failing = () => transport.use(() => Promise.reject(notFound()), isUnsent);
  await expect(failing()).rejects.toThrow(/ENOTFOUND/);
  await expect(failing()).rejects.toThrow(/ENOTFOUND/);
  expect(asked()).toBe(3);
});

test('a request that may have been sent is not repeated', async () => {
  const { transport } = transportOf(OFFICE, 'DIRECT');
  let sent = 0;
  const exchange = () => {
    sent += 1;
    return Promise.reject(notFound());
  };
  await expect(transport.use(exchange, () => false)).rejects.toThrow(/ENOTFOUND/);
  expect(sent).toBe(1);
});

test('after waking the next request uses the proxy of the current network', async () => {
  const { transport } = transportOf('DIRECT', OFFICE);
  await transport.use(async () => undefined, isUnsent);
  expect(transport.proxyHost()).toBeNull();
  transport.doubt();
  await transport.use(async () => undefined, isUnsent);
  expect(transport.proxyHost()).toBe('proxy.office.example:3128');
});
