/** Hostile answers as fast-check arbitraries: status lines, headers, bodies, framings, timings, endings. */
import fc from 'fast-check';
import type { HostileAnswer } from './hostile-server.ts';

const nameOfField = fc.constantFrom(
  ...['api_version', 'kind', 'data', 'error', 'errors', 'code', 'message', 'reason', 'help', 'items', 'ids'],
  ...['total', 'offset', 'page_size', 'item_count', 'toString', '__proto__', 'constructor', 'then', 'id'],
  ...['name', 'value', 'span_id', 'scores', 'results', 'job', 'event_ids', 'x'.repeat(3_000)],
);
const scalar = fc.oneof(
  fc.constantFrom('NORMAL', 'PAGINATED', 'ERROR', '3.0', '2.0', null, true, false, 0, -1, 1e300, '', 404),
  fc.string(),
  fc.double(),
  fc.constant('long '.repeat(2_000)),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    scalar,
    fc.dictionary(nameOfField, tie('tree'), { maxKeys: 6 }),
    fc.array(tie('tree'), { maxLength: 5 }),
  ),
}));
/** Almost the documented form: the right fields in the right places, with any values. */
const envelope = fc.record(
  {
    api_version: fc.constantFrom('3.0', '2.0', 3, null),
    kind: fc.constantFrom('NORMAL', 'PAGINATED', 'ERROR', 'OTHER', null),
    data: fc.oneof(
      tree,
      fc.record({
        items: fc.array(tree, { maxLength: 8 }),
        total: scalar,
        offset: scalar,
        page_size: scalar,
      }),
      fc.record({ id: scalar, name: scalar, ids: tree, items: tree }, { requiredKeys: [] }),
    ),
    error: fc.oneof(
      tree,
      fc.record({ code: scalar, message: scalar, errors: fc.array(tree, { maxLength: 6 }) }),
    ),
  },
  { requiredKeys: [] },
);

const HTML = '<!doctype html><html><head><title>Sign in</title></head><body>Portal</body></html>';
const utf8 = fc.constantFrom(Buffer.from([0xff, 0xfe]), Buffer.from([0xc3]), Buffer.from([0xed, 0xa0, 0x80]));

function invalidUtf8(json: string, wrong: Buffer): Buffer {
  const middle = Math.floor(json.length / 2);
  return Buffer.concat([Buffer.from(json.slice(0, middle)), wrong, Buffer.from(json.slice(middle))]);
}

/** The token in forms that a service might send back. */
function echo(token: string): fc.Arbitrary<string> {
  const quoted = JSON.stringify(token).slice(1, -1);
  const escaped = [...token].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const words = fc.constantFrom(quoted, quoted.replaceAll('/', '\\/'), escaped.join(''));
  return words.map(
    (text) =>
      `{"kind":"ERROR","error":{"code":400,"message":"Bad ${text}","errors":[{"reason":"${text}","message":"${text}"}]}}`,
  );
}

function bodyOf(token: string): fc.Arbitrary<Buffer> {
  const json = envelope.map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 6, arbitrary: json.map((text) => Buffer.from(text)) },
    {
      weight: 2,
      arbitrary: fc.tuple(json, fc.nat(300)).map(([text, length]) => Buffer.from(text.slice(0, length))),
    },
    { weight: 1, arbitrary: fc.json().map((text) => Buffer.from(text)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(HTML, '', ' ', 'null', '"text"', '\uFEFF{}', 'OK').map(Buffer.from),
    },
    { weight: 1, arbitrary: fc.tuple(json, utf8).map(([text, wrong]) => invalidUtf8(text, wrong)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constant(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3])) },
    { weight: 1, arbitrary: echo(token).map((text) => Buffer.from(text)) },
    {
      weight: 1,
      arbitrary: fc
        .nat(30_000)
        .map((depth) => Buffer.from(`{"data":${'['.repeat(depth)}${']'.repeat(depth)}}`)),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.nat(20_000), tree)
        .map(([count, item]) =>
          Buffer.from(
            `{"kind":"PAGINATED","data":{"items":[${`${JSON.stringify(item).slice(0, 60)},`.repeat(count)}1]}}`,
          ),
        ),
    },
    { weight: 1, arbitrary: fc.constant(Buffer.alloc(1_200_000, 'x')) },
  );
}

const oddNumber = fc.constantFrom(
  ...['', '0', '-1', '-5', '1', '1.5', 'NaN', 'Infinity', '1e999', '0x10', '99999999999999999999', 'soon'],
  ...['Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT', 'not a date', '2026-01-01T00:00:00Z'],
  ...['1, 2', ';;;', '30 per 1 second', '0 per 0 seconds', '1/99999999999d', ' '],
);
const headerName = fc.constantFrom(
  ...['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Date', 'Age'],
  ...['Content-Type', 'Content-Encoding', 'Location', 'Connection', 'Keep-Alive', 'Set-Cookie', '__proto__'],
  ...['WWW-Authenticate', 'Trailer', 'Upgrade', 'X-Any', 'constructor'],
);
function headersOf(token: string): fc.Arbitrary<string> {
  const value = fc.oneof(
    { weight: 12, arbitrary: oddNumber },
    {
      weight: 8,
      arbitrary: fc.constantFrom(
        'gzip',
        'text/html',
        'close',
        'http://[broken',
        '//elsewhere.invalid/x',
        '/v3/x',
      ),
    },
    {
      weight: 6,
      arbitrary: fc.constantFrom(`Bearer ${token}`, `https://${encodeURIComponent(token)}.invalid/`),
    },
    { weight: 2, arbitrary: fc.constant('y'.repeat(5_000)) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 30 }) },
  );
  return fc
    .array(
      fc.tuple(headerName, value).map(([name, text]) => `${name}: ${text}\r\n`),
      { maxLength: 6 },
    )
    .map((lines) => lines.join(''));
}

const statusLine = fc
  .oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom(200, 200, 200, 201, 202, 204, 400, 401, 403, 404, 409, 422, 429),
    },
    { weight: 3, arbitrary: fc.constantFrom(500, 502, 503, 504, 501, 301, 302, 304, 407, 408, 413, 418) },
    { weight: 2, arbitrary: fc.integer({ min: 100, max: 999 }) },
  )
  .map((status) => `HTTP/1.1 ${status} Words\r\n`);
const oddLine = fc.constantFrom(
  ...[
    'HTTP/1.0 200 OK\r\n',
    'HTTP/1.1 200\r\n',
    'HTTP/1.1 99 Low\r\n',
    'HTTP/1.1 1000 High\r\n',
    'HTTP/2 200\r\n',
  ],
  ...[
    'HTTP/1.1 abc\r\n',
    'ICY 200 OK\r\n',
    'SSH-2.0-OpenSSH\r\n',
    '\r\n\r\n',
    'HTTP/1.1 -1 No\r\n',
    '\u0000\u0000',
  ],
  ...[
    'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n',
  ],
);

type Framing =
  | 'length'
  | 'longer'
  | 'shorter'
  | 'chunked'
  | 'bad chunks'
  | 'cut chunks'
  | 'none'
  | 'both'
  | 'absurd';
const framing = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Framing>('length') },
  { weight: 3, arbitrary: fc.constant<Framing>('chunked') },
  {
    weight: 5,
    arbitrary: fc.constantFrom<Framing>(
      ...(['longer', 'shorter', 'bad chunks', 'cut chunks', 'none', 'both', 'absurd'] as const),
    ),
  },
);

function chunksOf(body: Buffer, last: string): Buffer {
  const half = Math.ceil(body.length / 2);
  const parts = [body.subarray(0, half), body.subarray(half)].filter(({ length }) => length > 0);
  const written = parts.map((part) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
  );
  return Buffer.concat([...written, Buffer.from(last)]);
}

function framed(how: Framing, body: Buffer): { header: string; bytes: Buffer } {
  const chunked = 'Transfer-Encoding: chunked\r\n';
  const length = (bytes: number | string) => `Content-Length: ${bytes}\r\n`;
  switch (how) {
    case 'length':
      return { header: length(body.length), bytes: body };
    case 'longer':
      return { header: length(body.length + 7), bytes: body };
    case 'shorter':
      return { header: length(Math.max(0, body.length - 7)), bytes: body };
    case 'absurd':
      return { header: length('99999999999999999999999'), bytes: body };
    case 'both':
      return { header: length(3) + chunked, bytes: chunksOf(body, '0\r\n\r\n') };
    case 'chunked':
      return { header: chunked, bytes: chunksOf(body, '0\r\nX-Late: 1\r\n\r\n') };
    case 'bad chunks':
      return { header: chunked, bytes: chunksOf(body, 'zz\r\nno\r\n') };
    case 'cut chunks':
      return { header: chunked, bytes: chunksOf(body, 'ff\r\nhalf') };
    case 'none':
      return { header: '', bytes: body };
  }
}

/** `token`: the token that the client sends, which some answers contain. */
export function hostileAnswer(token: string): fc.Arbitrary<HostileAnswer> {
  const head = fc.oneof({ weight: 9, arbitrary: statusLine }, { weight: 1, arbitrary: oddLine });
  const pieces = fc
    .record({
      head,
      headers: headersOf(token),
      body: bodyOf(token),
      how: framing,
      cuts: fc.array(fc.nat(400), { maxLength: 4 }),
    })
    .map(({ head: line, headers, body, how, cuts }) => {
      const { header, bytes } = framed(how, body);
      return cutUp(Buffer.concat([Buffer.from(`${line}${headers}${header}\r\n`, 'latin1'), bytes]), cuts);
    });
  return fc.record({
    pieces: fc.oneof({ weight: 30, arbitrary: pieces }, { weight: 1, arbitrary: fc.constant<Buffer[]>([]) }),
    pace: fc.oneof(
      { weight: 60, arbitrary: fc.constantFrom<HostileAnswer['pace'][]>('at once', 'in turns') },
      { weight: 1, arbitrary: fc.constant<HostileAnswer['pace']>('slowly') },
    ),
    end: fc.oneof(
      { weight: 40, arbitrary: fc.constantFrom<HostileAnswer['end'][]>('end', 'reset') },
      { weight: 1, arbitrary: fc.constant<HostileAnswer['end']>('stay') },
    ),
  });
}

function cutUp(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}
