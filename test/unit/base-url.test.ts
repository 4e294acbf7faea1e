import { describe, expect, test } from 'vitest';
import { parseBaseUrl, parseProxyUrl } from '../../electron/api/base-url.ts';

const parse = (typed: string, allowsPlainHttp = false) => parseBaseUrl(typed, { allowsPlainHttp });

describe('a typed base URL', () => {
  test.each([
    ['monitoring.example.com', 'https://monitoring.example.com'],
    ['  https://Monitoring.Example.com/  ', 'https://monitoring.example.com'],
    ['https://example.com/v3', 'https://example.com'],
    ['https://example.com/v3/', 'https://example.com'],
    ['https://example.com/tenant/a/v3//', 'https://example.com/tenant/a'],
    ['https://example.com:443', 'https://example.com'],
    ['https://example.com:8443/x', 'https://example.com:8443/x'],
    ['localhost:8080', 'http://localhost:8080'],
    ['127.0.0.1:8080/v3', 'http://127.0.0.1:8080'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['sample.localhost', 'https://sample.localhost'],
    ['https://example.com/v30', 'https://example.com/v30'],
  ])('%s becomes %s', (typed, href) => {
    expect(parse(typed).href).toBe(href);
  });

  test('separates origin and path', () => {
    expect(parse('https://example.com:8443/tenant/v3')).toMatchObject({
      origin: 'https://example.com:8443',
      basePath: '/tenant',
      isEncrypted: true,
      isLoopback: false,
    });
  });

  test.each([
    ['', /empty/],
    ['https://', /web address/],
    ['ftp://example.com', /ftp:/],
    ['file:///etc/passwd', /file:/],
    ['javascript://alert(1)', /./],
    ['https://me:secret@example.com', /user name or password/],
    ['https://me@example.com', /user name or password/],
    ['https://example.com?token=1', /query or fragment/],
    ['https://example.com#x', /query or fragment/],
  ])('%s is rejected', (typed, message) => {
    expect(() => parse(typed)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(() => parse(typed)).toThrow(message);
  });

  test('a rejection never repeats a password', () => {
    expect(() => parse('https://me:hunter2@example.com')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });

  test.each([
    'http://example.com',
    'http://127.0.0.1.example.com',
    'http://10.0.0.1',
    'http://localhost.example.com',
    'http://sample.localhost',
    'http://localhost.',
  ])('%s is not encrypted, and only accepted if allowed', (typed) => {
    expect(() => parse(typed)).toThrow(expect.objectContaining({ code: 'INSECURE_URL' }));
    expect(parse(typed, true).href).toBe(typed);
  });
});

describe('a proxy address', () => {
  test('is normalized', () => {
    expect(parseProxyUrl('proxy.local:3128')).toBe('http://proxy.local:3128');
    expect(parseProxyUrl(' http://proxy.local:3128/ ')).toBe('http://proxy.local:3128');
    expect(parseProxyUrl('socks5h://proxy.local:1080')).toBe('socks5h://proxy.local:1080');
  });

  test.each([
    'socks4://proxy:1080',
    'http://me:pw@proxy:3128',
    'socks5://me:pw@proxy:1080',
    'http://',
    'socks5://',
  ])('%s is rejected', (typed) => {
    expect(() => parseProxyUrl(typed)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });
});
