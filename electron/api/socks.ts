/**
 * Connects through a SOCKS 5 proxy (RFC 1928, RFC 1929), by a handshake on a socket before any byte of a request is
 * sent.
 */
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { AppError } from '../shared/errors.ts';

const VERSION = 5;
const NO_LOGIN = 0;
const BY_PASSWORD = 2;
const CONNECT = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;
const USUAL_PORT = 1_080;
/** Maximum length of names, user names and passwords, whose length is stored in one byte. */
const MAX_BYTES = 255;

const REPLIES: Readonly<Record<number, string>> = {
  1: 'a general failure',
  2: 'its rules do not allow it',
  3: 'the network cannot be reached',
  4: 'the host cannot be reached',
  5: 'the connection was refused',
  6: 'it took too many hops',
  7: 'it does not know the command',
  8: 'it does not know this kind of address',
};

export const isSocks = (proxy: string): boolean => /^socks/i.test(proxy);

/** Reads the requested number of bytes from a socket, and leaves later bytes to other readers. */
function createReader(socket: Socket) {
  let held = Buffer.alloc(0);
  let wanted: { length: number; resolve: (bytes: Buffer) => void; reject: (problem: Error) => void } | null =
    null;
  let ended: Error | null = null;
  const give = () => {
    if (wanted === null) return;
    const { length, resolve, reject } = wanted;
    if (held.length >= length) {
      wanted = null;
      const bytes = held.subarray(0, length);
      held = held.subarray(length);
      resolve(bytes);
    } else if (ended !== null) {
      wanted = null;
      reject(ended);
    }
  };
  const take = (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    give();
  };
  const end = (problem?: Error) => {
    ended = problem ?? new Error('the proxy closed the connection');
    give();
  };
  const onClose = () => end();
  socket.on('data', take).on('error', end).on('close', onClose);
  return {
    read: (length: number): Promise<Buffer> =>
      new Promise((resolve, reject) => {
        wanted = { length, resolve, reject };
        give();
      }),
    /** Returns unread bytes to the socket, so that its next reader gets them. */
    release: () => {
      socket.off('data', take).off('error', end).off('close', onClose);
      socket.pause();
      if (held.length > 0) socket.unshift(held);
    },
  };
}

function refused(text: string, nextStep: string): AppError {
  return new AppError('PROXY_FAILED', text, { outcome: 'unsent', nextStep });
}

const LOGIN_STEP = 'Enter the user name and the password of the proxy in the connection, under Network.';

async function signIn(socket: Socket, read: (length: number) => Promise<Buffer>, proxy: URL): Promise<void> {
  const [user, password] = [proxy.username, proxy.password].map((text) =>
    Buffer.from(decodeURIComponent(text)),
  ) as [Buffer, Buffer];
  const methods = user.length > 0 ? [NO_LOGIN, BY_PASSWORD] : [NO_LOGIN];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await read(2);
  if (version !== VERSION) {
    throw refused(
      `What answers at ${proxy.host} is not a SOCKS 5 proxy.`,
      'Check host and port of the proxy.',
    );
  }
  if (method === NO_LOGIN) return;
  if (method !== BY_PASSWORD || user.length === 0) {
    throw refused(`The proxy ${proxy.host} asks for a sign-in that was not given.`, LOGIN_STEP);
  }
  if (user.length > MAX_BYTES || password.length > MAX_BYTES) {
    throw refused(
      `The user name or the password for ${proxy.host} is longer than SOCKS 5 can carry (255 bytes).`,
      LOGIN_STEP,
    );
  }
  socket.write(
    Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]),
  );
  const [, status] = await read(2);
  if (status !== 0) {
    throw refused(`The proxy ${proxy.host} refused the user name or the password.`, LOGIN_STEP);
  }
}

/** The name is sent unresolved, because the proxy resolves it. */
function addressBytes(host: string): Buffer {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) === 4) return Buffer.from([IPV4, ...bare.split('.').map(Number)]);
  if (isIP(bare) === 6) return Buffer.from([IPV6, ...ipv6Bytes(bare)]);
  const name = Buffer.from(bare);
  if (name.length > MAX_BYTES)
    throw refused(`The host name ${bare} is too long for a SOCKS 5 proxy.`, 'Shorten it.');
  return Buffer.concat([Buffer.from([NAME, name.length]), name]);
}

function ipv6Bytes(address: string): number[] {
  // The URL parser writes every form as groups of hexadecimal digits.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined) => (text === undefined || text === '' ? [] : text.split(':'));
  const [first, last] = [groups(head), groups(tail)];
  const all = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
  return all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
}

async function askFor(
  socket: Socket,
  read: (length: number) => Promise<Buffer>,
  proxy: URL,
  target: { host: string; port: number },
): Promise<void> {
  const port = Buffer.from([target.port >> 8, target.port & 255]);
  socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressBytes(target.host), port]));
  const [, reply = 1, , kind] = await read(4);
  if (reply !== 0) {
    const reason = REPLIES[reply] ?? `code ${reply}`;
    throw refused(
      `The proxy ${proxy.host} did not connect to ${target.host}: ${reason}.`,
      'Check host and port of the base URL.',
    );
  }
  const rest = kind === IPV4 ? 4 : kind === IPV6 ? 16 : (await read(1))[0];
  await read((rest ?? 0) + 2);
}

/**
 * A socket to `target` through `proxy` (`socks5://[user:password@]host[:port]`), before any data is sent. Rejects with
 * PROXY_FAILED if the proxy refuses, with ETIMEDOUT if it is silent for `timeoutMs`, otherwise with the socket's error.
 */
export async function connectThroughSocks(
  proxy: string,
  target: { host: string; port: number },
  timeoutMs: number,
): Promise<Socket> {
  const url = new URL(proxy);
  const socket = connectSocket({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? USUAL_PORT : Number(url.port),
    noDelay: true,
    timeout: timeoutMs,
  });
  const reader = createReader(socket);
  const giveUp = () =>
    socket.destroy(Object.assign(new Error('The proxy did not answer in time.'), { code: 'ETIMEDOUT' }));
  socket.on('timeout', giveUp);
  try {
    await signIn(socket, reader.read, url);
    await askFor(socket, reader.read, url, target);
    reader.release();
    return socket;
  } catch (problem) {
    socket.destroy();
    throw problem;
  } finally {
    // From now on, requests have their own timeouts.
    socket.off('timeout', giveUp);
  }
}
