/**
 * Tests the setup as on other computers, each in a separate root: this system as a read-only lower layer, and a
 * writable folder on top. Must run as root on Linux; npm downloads the versions of Node and npm.
 *
 *   node build/check-setup.ts [NAME …]
 */
import * as fs from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { collect } from './collect.ts';
import { ROOT } from './runtime.ts';

const LIMIT_MS = 1_800_000;

interface Case {
  readonly name: string;
  readonly node: number;
  readonly user: 'root' | 'nobody';
  readonly network: 'direct' | 'proxy' | 'cache';
  readonly without?: 'without-libsecret';
}

const CASES: readonly Case[] = [
  { name: 'user-18', node: 18, user: 'nobody', network: 'direct' },
  { name: 'user-20', node: 20, user: 'nobody', network: 'direct' },
  { name: 'user-22', node: 22, user: 'nobody', network: 'direct' },
  { name: 'user-24', node: 24, user: 'nobody', network: 'direct' },
  { name: 'root-20', node: 20, user: 'root', network: 'direct' },
  { name: 'without-libsecret', node: 22, user: 'nobody', network: 'direct', without: 'without-libsecret' },
  { name: 'proxy', node: 20, user: 'nobody', network: 'proxy' },
  { name: 'cache', node: 20, user: 'nobody', network: 'cache' },
];

/** The npm version that comes with a Node version. */
const npmOf = (node: number): number => (node < 24 ? 10 : 11);

/** Script that forwards each connection on the inner loopback device to the socket. */
const RELAY = `import { connect, createServer } from 'node:net';
const [, , socket, port] = process.argv;
createServer((inner) => {
  const outer = connect(socket);
  for (const each of [inner, outer]) each.on('error', () => { inner.destroy(); outer.destroy(); });
  inner.pipe(outer).pipe(inner);
}).listen(Number(port), '127.0.0.1');
`;

async function run(program: string, args: readonly string[], env = process.env): Promise<string> {
  const { code, text } = await collect(program, args, { env, limitMs: LIMIT_MS });
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with code ${code}:\n${text}`);
  return text;
}

/** Downloads Node with its npm, as an installation contains them. */
async function fetchNode(folder: string, node: number): Promise<void> {
  for (const name of [`node-linux-${process.arch}@${node}`, `npm@${npmOf(node)}`])
    await run('npm', ['pack', '--silent', '--pack-destination', folder, name]);
  const archives = fs.readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  for (const archive of archives) {
    const into = archive.startsWith('npm-') ? path.join(folder, 'lib/node_modules/npm') : folder;
    fs.mkdirSync(into, { recursive: true });
    await run('tar', [
      '-x',
      '-C',
      into,
      '--strip-components=1',
      '--no-same-owner',
      '-f',
      path.join(folder, archive),
    ]);
    fs.rmSync(path.join(folder, archive));
  }
  for (const name of ['npm', 'npx'])
    fs.symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, path.join(folder, 'bin', name));
}

/** Listens on the socket, and records the hosts that were requested. */
function startProxy(socket: string): { asked: Set<string>; stop: () => void } {
  const asked = new Set<string>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', ({ url = '' }, inner, head) => {
    asked.add(url);
    const [host = '', port] = url.split(':');
    const outer = connect(Number(port), host, () => {
      inner.write('HTTP/1.1 200 Connection established\r\n\r\n');
      outer.write(head);
      inner.pipe(outer).pipe(inner);
    });
    for (const each of [inner, outer]) {
      each.on('error', () => {
        inner.destroy();
        outer.destroy();
      });
    }
  });
  server.listen(socket, () => fs.chmodSync(socket, 0o666));
  return { asked, stop: () => server.close() };
}

/** How the output differs from the README; null if it does not. */
export function complaintOf(text: string, wanted: Pick<Case, 'network' | 'without'>): string | null {
  const [, first = '', again = '', hidden = ''] = text.split(/^== (?:first|again|without a display).*$/m);
  const isReady = (part: string) => part.split('\n').some((line) => line.startsWith('{"ready":true'));
  if (!isReady(first)) return 'the first start did not come to its first view';
  if (!isReady(again)) return 'the second start, without a network, did not come to its first view';
  if (/npm ci|fetching/.test(again)) return 'the second start set up again what was there';
  if (wanted.without !== undefined && !first.includes('libsecret-1-0')) return 'libsecret was not asked for';
  if (wanted.without !== undefined && again.includes('libsecret-1-0')) return 'libsecret was asked for twice';
  if (!hidden.includes('There is no display to open a window on')) return 'a missing display was not said';
  if (!hidden.includes('== ended with 1')) return 'a start without a display did not end with code 1';
  return null;
}

async function check(wanted: Case): Promise<void> {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'spandeck-setup-'));
  const at = (name: string): string => path.join(work, name);
  for (const name of ['root', 'upper', 'work', 'node', 'home', 'proxy']) fs.mkdirSync(at(name));
  const proxy = startProxy(at('proxy/socket'));
  try {
    await fetchNode(at('node'), wanted.node);
    await run('git', ['-C', ROOT, 'archive', '--output', at('source.tar'), 'HEAD']);
    fs.writeFileSync(at('proxy/relay.mjs'), RELAY);
    const cache = (await run('npm', ['config', 'get', 'cache'])).trim();
    if (wanted.network === 'cache') fs.cpSync(cache, at('home/.npm'), { recursive: true });
    const words = [path.join(import.meta.dirname, 'check-setup.sh'), work, ROOT, wanted.user, wanted.network];
    const args = [
      '--mount',
      '--propagation',
      'private',
      'sh',
      ...words,
      ...(wanted.without === undefined ? [] : [wanted.without]),
    ];
    const startedAt = performance.now();
    const text = await run('unshare', args);
    const complaint = complaintOf(text, wanted);
    if (complaint !== null) throw new Error(`${wanted.name}: ${complaint}:\n${text}`);
    if (wanted.network === 'proxy' && proxy.asked.size === 0) throw new Error('Nobody asked the proxy.');
    const hosts = wanted.network === 'proxy' ? `; through the proxy: ${[...proxy.asked].join(', ')}` : '';
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    process.stdout.write(`set-up: ${wanted.name}: as the README says (${seconds} s)${hosts}\n`);
  } finally {
    proxy.stop();
    fs.rmSync(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

if (import.meta.main) {
  const names = process.argv.slice(2);
  for (const each of CASES) if (names.length === 0 || names.includes(each.name)) await check(each);
}
